/** A route as the table has it: its method and path, and then the names of its query and what it takes and answers. */
const ROUTE = /'([A-Z]+ \/[^ ?'\n]*)(?:[ ?][^'\n]*)?'/g

/** Leaves of each route in the text of the table what the console reads (api.ts): its method and its path. */
export const shortRoutes = (code: string): string => code.replaceAll(ROUTE, "'$1'")
