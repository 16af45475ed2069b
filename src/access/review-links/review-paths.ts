/** The console reads the token from the fragment, which no server, log or Referer sees. */
export const reviewPath = (token: string): string => `/review#link=${token}`

/** The same for a link to several posts, whose page is another one. */
export const reviewPostsPath = (token: string): string => `/review#posts=${token}`
