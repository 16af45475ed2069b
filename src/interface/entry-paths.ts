/**
 * The paths of links for people. The token is in the fragment, which no server, log or Referer sees; the console
 * reads it there.
 */
export const invitationPath = (token: string): string => `/#invitation=${token}`
export const signInPath = (token: string): string => `/#sign-in=${token}`
export const reviewPath = (token: string): string => `/review#link=${token}`
