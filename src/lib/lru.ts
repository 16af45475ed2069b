import { LRUCache } from 'lru-cache'

/**
 * Creates a cache of at most `max` entries, the most recently used ones. It takes memory only for what it holds: with `max`,
 * LRUCache allocates everything at once, which cost the caches of one service 30 ms of its start.
 */
export const createLru = <Key extends {}, Value extends {}>(max: number): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1 })
