/**
 * The paths of the links that people get. The console reads the token from the fragment, which no server, log or Referer
 * sees.
 */
export const invitationPath = (token: string): string => `/#invitation=${token}`
export const signInPath = (token: string): string => `/#sign-in=${token}`
export const reviewPath = (token: string): string => `/review#link=${token}`
