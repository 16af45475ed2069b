/** A route of the table: method and path, query parameter names, then input and output types. */
const ROUTE = /'([A-Z]+ \/[^ ?'\n]*)(?:[ ?][^'\n]*)?'/g

/** Shortens each route to what the console reads (api.ts): method and path. */
export const shortRoutes = (code: string): string => code.replaceAll(ROUTE, "'$1'")
