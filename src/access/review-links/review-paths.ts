/** The console reads the token from the fragment, which no server, log or Referer sees. */
export const reviewPath = (token: string): string => `/review#link=${token}`
