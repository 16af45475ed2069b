import type { TOKEN_SCOPE_NAMES } from './token-scopes.js'

/** A personal token may hold these. */
export type TokenScope = (typeof TOKEN_SCOPE_NAMES)[number]

export interface NewPersonalToken {
  /** For its person, who finds it by it. */
  name: string
  scopes: TokenScope[]
  /** The only organization in which it may be used; all of the person's unless said. */
  organizationId?: string
  /** 90 days from now unless said, and a year at most. */
  expiresAt?: string
}

/** A token by which a program calls for a person. */
export interface PersonalToken {
  id: string
  name: string
  scopes: TokenScope[]
  /** Absent: all organizations of its person. */
  organizationId?: string
  createdAt: string
  expiresAt: string
  /** Set where expiresAt follows from the greatest age that the server sets. */
  expiresByAge?: true
  /** To the minute; absent while it was never used. */
  lastUsedAt?: string
}

/** The only answer that ever holds the token. */
export interface IssuedPersonalToken extends PersonalToken {
  token: string
}

/** A program asks for a token of a person. */
export interface NewDeviceLogin {
  /** Names the program to the person. */
  name: string
  /** The person chooses unless said. */
  scopes?: TokenScope[]
}

/** A program waits for the answer of a person, who types in the user code. */
export interface DeviceLogin {
  /** The program fetches its token with it. */
  deviceCode: string
  userCode: string
  /** The page to open, after the address of the server. */
  path: string
  expiresAt: string
  /** The program asks no sooner than this many seconds after it asked last. */
  interval: number
}

export interface DeviceCode {
  deviceCode: string
}

export interface UserCode {
  userCode: string
}

/** A program that waits, as the person sees it. */
export interface WaitingDevice {
  name: string
  /** Absent: it leaves them to the person. */
  scopes?: TokenScope[]
  /** The address from which it asked. */
  address: string
  createdAt: string
  expiresAt: string
}

export interface DeviceApproval extends UserCode, Omit<NewPersonalToken, 'name'> {}
