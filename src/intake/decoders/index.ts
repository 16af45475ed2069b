import type { SourceType } from '../../interface/generated/types.js'
import type { Decode } from '../facts.js'
import { decodeEvents } from './events.js'
import { decodeMeta } from './meta.js'
import { shapeNameOf } from './shapes.js'
import { decodeShopify, SHOPIFY_SHAPES } from './shopify.js'
import { decodeWooCommerce, WOOCOMMERCE_SHAPES } from './woocommerce.js'

/** The decoder of each type of source. */
export const DECODERS: Readonly<Record<SourceType, Decode>> = {
  META: decodeMeta,
  SHOPIFY: decodeShopify,
  WOOCOMMERCE: decodeWooCommerce,
  EVENTS: decodeEvents,
}

const UNREAD = 'unread'

/**
 * Returns the kind of delivery that a shop's topic means. The same bytes are a repeat under every topic of one kind,
 * whatever id the delivery has in its unsigned headers. Undefined if the same bytes may be news, such as an order that is
 * deleted again.
 */
export function kindOfTopic(type: 'SHOPIFY' | 'WOOCOMMERCE', topic: string): string | undefined {
  if (type === 'SHOPIFY') return shapeNameOf(SHOPIFY_SHAPES, topic) ?? UNREAD
  const name = shapeNameOf(WOOCOMMERCE_SHAPES, topic)
  return name === 'deletedOrder' ? undefined : (name ?? UNREAD)
}

/** Returns the key of a shop's delivery: its kind, and the SHA-256 of its bytes in base64url. */
export const keyOfBody = (kind: string, bodyHash: string): string => `${kind} ${bodyHash}`
