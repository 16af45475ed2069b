import { common } from '../words.ts'

const { number } = common

export const words = {
  search: 'Find a person',
  searchHint: 'The beginning of a name or user name, or a whole id',
  found: 'People found',
  none: 'No one was found.',
  more: 'There are more: type more of the name.',
  title: (cuid: string): string => `Person ${cuid}`,
  back: 'Back to the audience',
  conversations: 'Conversations',
  value: (amount: number, currency: string | null): string =>
    `Lifetime value ${number(amount)}${currency ? ` ${currency}` : ''}`,
  openingAt: (amount: string, day: string): string => `${amount} as of ${day}`,
  openingOnly: (amount: string): string => `${amount} to begin with`,
  since: (purchased: string, refunded: string): string =>
    ` + ${purchased} bought${refunded === '0' ? '' : ` − ${refunded} refunded`}`,
  asImported: 'as it was imported',
  conversationsShown: (shown: number, total: number): string => `The first ${number(shown)} of ${number(total)}.`,
  purchases: 'Purchases',
  purchasesShown: (shown: number, total: number): string => `The latest ${number(shown)} of ${number(total)}.`,
  noPurchase: 'Nothing was bought, as far as is known.',
  states: {
    counted: 'counted',
    other_currency: 'not counted: another currency',
    no_currency: 'not counted: the organization has no currency',
    test: 'not counted: a test',
    cancelled: 'not counted: cancelled or not paid',
    before_opening: 'in the imported value already',
    refunded: 'refunded wholly',
  },
  refunded: (amount: string): string => `${amount} refunded`,
  links: 'Ids in other systems',
  noLink: 'No id of another system is linked.',
  byHand: 'by hand or import',
  link: 'Link an id',
  kind: 'Kind',
  kinds: {
    userId: 'User id',
    anonymousId: 'Anonymous id',
    shopify: 'Shopify customer',
    woocommerce: 'WooCommerce customer',
  },
  idField: 'Id',
  linked: 'The id is linked, and what was bought with it counts.',
  unlink: 'Unlink',
  unlinked: 'The id is unlinked.',
  fields: 'Profile, as it came in',
  noCurrency: 'The organization has no currency: purchases are kept and not counted.',
}
