/** A page of a list on our own surfaces: send `nextCursor` as `after` for the next page; it is null on the last one. */
export interface Page<Item> {
  items: Item[]
  nextCursor: string | null
}
