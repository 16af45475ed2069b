import { type Json, Unreadable } from './values.js'

// The topic of a delivery is a header, and headers are not signed. So a body counts as what its topic says only if it has
// the shape of that, and the shapes of one sender exclude each other wherever the sender's own bodies allow it.

interface Shape {
  /** As a problem calls it: `an order`. */
  title: string
  topics: readonly string[]
  fits(body: Json): boolean
}

export type Shapes<Name extends string> = Readonly<Record<Name, Shape>>

/** The name of the shape that a topic stands for; undefined for a topic that is not read. */
export const shapeNameOf = <Name extends string>(shapes: Shapes<Name>, topic: string | null): Name | undefined =>
  (Object.keys(shapes) as Name[]).find((name) => topic !== null && shapes[name].topics.includes(topic))

/** A topic as shops write them: `products/update`, `product.updated`, `customer.tags_added`. */
const TOPIC = /^[a-z][a-z0-9_]{0,99}[/.][a-z0-9_-]{1,100}$/i

/**
 * The shape that the topic names, once the body is known to have it; undefined for a topic of a shop that nothing here
 * needs, such as products/update. Throws Unreadable, also where no shop writes such a topic.
 */
export function requireShape<Name extends string>(
  shapes: Shapes<Name>,
  topic: string | null,
  body: Json,
): Name | undefined {
  const name = shapeNameOf(shapes, topic)
  if (name === undefined) {
    if (topic !== null && TOPIC.test(topic)) return undefined
    throw new Unreadable('It has no topic of a shop: is another program between the shop and this address?')
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
/** True for a body of these fields and no others. */
export const hasOnly = (body: Json, ...names: readonly string[]): boolean =>
  Object.keys(body).every((name) => names.includes(name))
