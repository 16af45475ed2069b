import { type Json, Unreadable } from './values.js'

// The topic of a delivery is a header, and headers are not signed. So a body counts as what its topic says only if it has
// that shape, and the shapes of one sender exclude each other as far as the sender's own bodies allow.

interface Shape {
  /** As problems call it: `an order`. */
  title: string
  topics: readonly string[]
  fits(body: Json): boolean
}

export type Shapes<Name extends string> = Readonly<Record<Name, Shape>>

/** Returns the name of the shape that a topic means; undefined for a topic that is not read. */
export const shapeNameOf = <Name extends string>(shapes: Shapes<Name>, topic: string | null): Name | undefined =>
  (Object.keys(shapes) as Name[]).find((name) => topic !== null && shapes[name].topics.includes(topic))

/** A topic as shops write them: `products/update`, `product.updated`, `customer.tags_added`. */
const TOPIC = /^[a-z][a-z0-9_]{0,99}[/.][a-z0-9_-]{1,100}$/i

/**
 * Returns the shape that the topic names, if the body has it; undefined for a shop's topic that is not needed here, such as
 * products/update. Throws Unreadable, also for a topic that no shop writes.
 */
export function requireShape<Name extends string>(
  shapes: Shapes<Name>,
  topic: string | null,
  body: Json,
): Name | undefined {
  const name = shapeNameOf(shapes, topic)
  if (name === undefined) {
    if (topic !== null && TOPIC.test(topic)) return undefined
    throw new Unreadable('It has no topic that a shop sends. Is another program between the shop and this address?')
  }
  if (!shapes[name].fits(body)) {
    throw new Unreadable(
      `The body is not ${shapes[name].title}. The signature does not cover the topic, so nothing was applied.`,
    )
  }
  return name
}

export const has = (body: Json, ...names: readonly string[]): boolean =>
  names.every((name) => Object.hasOwn(body, name))
export const hasOne = (body: Json, ...names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(body, name))
/** Returns whether a body has exactly these fields. */
export const hasOnly = (body: Json, ...names: readonly string[]): boolean =>
  Object.keys(body).every((name) => names.includes(name))
