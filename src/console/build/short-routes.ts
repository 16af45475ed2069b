/** A route of the table: method and path, then the names of its query parameters, and what it takes and answers. */
const ROUTE = /'([A-Z]+ \/[^ ?'\n]*)(?:[ ?][^'\n]*)?'/g

/** Shortens each route in the text of the table to what the console reads (api.ts): its method and path. */
export const shortRoutes = (code: string): string => code.replaceAll(ROUTE, "'$1'")
