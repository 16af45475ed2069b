import type { SourceType } from '../../interface/intake.js'
import type { Decode } from '../facts.js'
import { decodeEvents } from './events.js'
import { decodeMeta } from './meta.js'
import { decodeShopify } from './shopify.js'
import { decodeWooCommerce } from './woocommerce.js'

/** The decoder of each type of source. */
export const DECODERS: Readonly<Record<SourceType, Decode>> = {
  META: decodeMeta,
  SHOPIFY: decodeShopify,
  WOOCOMMERCE: decodeWooCommerce,
  EVENTS: decodeEvents,
}
