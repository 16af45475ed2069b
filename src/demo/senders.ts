import type { GreenroomApi } from '../client/index.js'
import type { Source, SourceType, SourceWithSecrets } from '../interface/generated/types.js'
import { newSecret } from '../lib/ids.js'
import type { Buyer, Senders } from './sandbox.js'

/** The currency of the shop. */
export const CURRENCY = 'BRL'

const SENDERS = {
  app: ['EVENTS', "The shop's app"],
  meta: ['META', 'The inbox of the page'],
  shopify: ['SHOPIFY', 'The shop on Shopify'],
  woocommerce: ['WOOCOMMERCE', 'The shop on WooCommerce'],
} as const satisfies Record<string, readonly [type: SourceType, name: string]>
type Sender = keyof typeof SENDERS

/** The source of each sender, with the secret or key that it signs with. */
export type SourcesOfDemo = Record<Sender, { id: string; secret: string }>

/**
 * Creates the sources of the demo, or finds those of an earlier start and replaces their keys and secrets, which cannot be
 * read again.
 */
export async function openSources(operator: GreenroomApi, organizationId: string): Promise<SourcesOfDemo> {
  await operator.call('updateOrganization', { organizationId, body: { currency: CURRENCY } })
  const { items } = await operator.call('listSources', { organizationId, query: { limit: 200 } })
  const open = async (sender: Sender): Promise<{ id: string; secret: string }> => {
    const [type, name] = SENDERS[sender]
    const given = type === 'EVENTS' ? {} : { secret: newSecret() }
    const known = items.find((source: Source) => source.name === name && source.type === type)
    const { id, writeKey }: SourceWithSecrets =
      known === undefined
        ? await operator.call('createSource', { organizationId, body: { type, name, ...given } })
        : await operator.call('rotateSourceSecret', { organizationId, sourceId: known.id, body: given })
    return { id, secret: given.secret ?? writeKey! }
  }
  return {
    app: await open('app'),
    meta: await open('meta'),
    shopify: await open('shopify'),
    woocommerce: await open('woocommerce'),
  }
}

/** Connects the sandbox's senders to the demo at `root`. */
export async function connectSenders(
  senders: Senders,
  { sources, root, buyers }: { sources: SourcesOfDemo; root: string; buyers: () => Promise<readonly Buyer[]> },
): Promise<void> {
  const hookOf = ({ id, secret }: { id: string; secret: string }) => ({ url: `${root}/hooks/${id}`, secret })
  await senders.connect({
    currency: CURRENCY,
    buyers,
    shopify: hookOf(sources.shopify),
    woocommerce: hookOf(sources.woocommerce),
    meta: hookOf(sources.meta),
    app: { url: `${root}/ingest/v1/batch`, secret: sources.app.secret },
  })
}
