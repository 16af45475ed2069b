/** A page of a list on our own surfaces: `nextCursor` is `after` for the next page, and null on the last one. */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}

/** The same with a count. */
export interface CountedPage<Item> extends Page<Item> {
  returned: number
  mayHaveMore: boolean
}

/** The query of such a list. */
export interface PageQuery {
  /** Items per page: 50 by default and at most 200, unless the list says otherwise. */
  limit?: number
  /** The nextCursor of the page before. */
  after?: string
}
