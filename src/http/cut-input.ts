import type { Description, Schema } from 'joi'

/** The maximum lengths that a schema sets for the texts and lists at each place of a value. */
interface Bounds {
  charsMax: number | undefined
  itemsMax: number | undefined
  keys: Map<string, Bounds> | undefined
  /** The bounds of a list's items, or of values whose keys match a pattern. */
  each: Bounds | undefined
}

/** Joi describes more than its types say. */
type Described = Description & {
  keys?: Record<string, Described>
  items?: Described[]
  patterns?: { rule: Described }[]
  rules?: { name: string; args?: { limit?: unknown } }[]
}

/** An error repeats this much of a string; a few more characters show that it is longer. */
const ECHO_CHARS = 502

const known = new WeakMap<Schema, Bounds | null>()

function boundsOf(schema: Schema): Bounds | undefined {
  let bounds = known.get(schema)
  if (bounds === undefined) {
    bounds = toBounds(schema.describe() as Described) ?? null
    known.set(schema, bounds)
  }
  return bounds ?? undefined
}

/** Returns undefined if nothing is bounded. */
function toBounds({ type, keys, items, patterns, rules }: Described): Bounds | undefined {
  const limit = rules?.find(({ name }) => name === 'max')?.args?.limit
  const max = typeof limit === 'number' ? limit : undefined
  const parts = type === 'array' ? items : patterns?.map(({ rule }) => rule)
  const below = Object.entries(keys ?? {}).flatMap(([key, part]) => {
    const bounds = toBounds(part)
    return bounds === undefined ? [] : [[key, bounds] as const]
  })
  const bounds: Bounds = {
    charsMax: type === 'string' ? max : undefined,
    itemsMax: type === 'array' ? max : undefined,
    keys: below.length > 0 ? new Map(below) : undefined,
    each: parts?.length === 1 ? toBounds(parts[0]!) : undefined,
  }
  return Object.values(bounds).every((part) => part === undefined) ? undefined : bounds
}

/**
 * Returns the value with texts and lists cut slightly beyond the schema's maximum. Joi looks for every error even in a
 * string that is too long; this bounds the work of its patterns, and of rules such as `unique`, which compares all pairs of
 * items. A cut value is still too long, and refused. Only for values that are not converted, because trimming may shorten a
 * string.
 */
export function cutInput(schema: Schema, value: unknown): unknown {
  const bounds = boundsOf(schema)
  return bounds === undefined ? value : cut(bounds, value)
}

function cut(bounds: Bounds, value: unknown): unknown {
  const { charsMax = Number.POSITIVE_INFINITY, itemsMax = Number.POSITIVE_INFINITY, keys, each } = bounds
  if (typeof value === 'string') return value.slice(0, Math.max(charsMax + 1, ECHO_CHARS))
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.length > itemsMax ? value.slice(0, itemsMax + 1) : value
    return each === undefined ? items : items.map((item) => cut(each, item))
  }
  if (keys === undefined && each === undefined) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const below = keys?.get(key) ?? each
      return [key, below === undefined ? part : cut(below, part)]
    }),
  )
}
