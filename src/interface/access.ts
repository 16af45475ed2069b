export interface Organization {
  id: string
  name: string
  /** Of an inactive one every key is answered 402. */
  active: boolean
  /** ISO 8601 in UTC, like every instant whose name ends in `At`. */
  createdAt: string
}

export interface NewOrganization {
  name: string
}

export interface OrganizationPatch {
  name?: string
  active?: boolean
}

export interface Key {
  id: string
  createdAt: string
  /** Absent while the key is live. */
  revokedAt?: string
}

/** The only answer that ever holds the secret. */
export interface IssuedKey {
  id: string
  secret: string
  createdAt: string
}

/** `key:<keyId>`: a caller of the API. */
export type Actor = 'operator' | 'publisher' | `key:${string}`
