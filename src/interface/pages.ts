/** A page of a list on our own surfaces: `nextCursor` is `after` for the next page, and null on the last one. */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}
