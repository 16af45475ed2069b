import {
  add,
  asList,
  asObject,
  firstGiven,
  isNothing,
  type Json,
  negate,
  readAmount,
  readSigned,
  Unreadable,
} from './values.js'

// A shop that sells in several currencies keeps its books in one, the shop money. Customers pay and are refunded in
// presentment money, and a transaction states only that: its number means nothing for the value of the order.

type Money = 'shop_money' | 'presentment_money'

const moneyIn = (set: unknown, money: Money): Json => asObject(asObject(set)[money])
const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 10 && value.trim() !== '' ? value.trim().toUpperCase() : undefined
const currencyOf = (set: unknown, money: Money): string | undefined => {
  const { currency_code: code, currency } = moneyIn(set, money)
  return codeOf(code) ?? codeOf(currency)
}

/** One amount of a refund, with its sign in the sum. */
interface Part {
  set: unknown
  /** The same in shop money, as a plain value. */
  plain: unknown
  isTaken: boolean
  isTax: boolean
}

/** Returns the parts of a refund: items, shipping and duties, less what was kept back. */
function partsOf(refund: Json): Part[] {
  const adjustments = asList(refund.order_adjustments).map(asObject)
  // Newer versions have a separate list for shipping; adjustments that mean the same are not added to it.
  const hasShipping = adjustments.some(({ kind }) => kind === 'shipping_refund')
  const shipping = hasShipping ? [] : asList(refund.refund_shipping_lines).map(asObject)
  const given = { isTaken: false, isTax: false }
  return [
    ...asList(refund.refund_line_items)
      .map(asObject)
      .flatMap((item) => [
        { ...given, set: item.subtotal_set, plain: item.subtotal },
        { ...given, set: item.total_tax_set, plain: item.total_tax, isTax: true },
      ]),
    ...shipping.flatMap((line) => [
      { ...given, set: line.subtotal_amount_set ?? line.subtotal_set, plain: line.subtotal_amount },
      { ...given, set: line.tax_amount_set ?? line.total_tax_set, plain: line.tax_amount, isTax: true },
    ]),
    // Negative for refunded shipping, positive for what was kept.
    ...adjustments.flatMap((adjustment) => [
      { set: adjustment.amount_set, plain: adjustment.amount, isTaken: true, isTax: false },
      { set: adjustment.tax_amount_set, plain: adjustment.tax_amount, isTaken: true, isTax: true },
    ]),
    ...(isNothing(refund.total_duties_set) ? [] : [{ ...given, set: refund.total_duties_set, plain: undefined }]),
  ].filter(({ set, plain }) => !isNothing(set) || !isNothing(plain))
}

/** Returns the sum of the parts; undefined if one does not state this money. */
function sumOf(parts: readonly Part[], money: Money): string | undefined {
  const amounts = parts.map(({ set, plain, isTaken }) => {
    const given = firstGiven(moneyIn(set, money).amount, money === 'shop_money' ? plain : undefined)
    if (given === undefined) return undefined
    const amount = readSigned(given, 'the amount of a refund')
    return isTaken ? negate(amount) : amount
  })
  return amounts.every((amount) => amount !== undefined) ? add(amounts) : undefined
}

/** Returns the currency of the shop, as the sets of a refund state it. */
const shopCurrencyIn = (refund: Json): string | undefined =>
  partsOf(refund)
    .map(({ set }) => currencyOf(set, 'shop_money'))
    .find((code) => code !== undefined)

/**
 * Returns the refunded money in the shop's currency: the successful transactions of a refund, which may be less than the
 * value of what was returned. Undefined if there are none. Throws Unreadable if the transactions are in another currency and
 * nothing states the amount in the shop's.
 */
export function refundedAmount(refund: Json, currencyOfOrder: unknown): string | undefined {
  const transactions = asList(refund.transactions)
    .map(asObject)
    .filter(({ kind, status }) => kind === 'refund' && status === 'success')
  if (transactions.length === 0) return undefined
  const shop = codeOf(currencyOfOrder) ?? shopCurrencyIn(refund)
  const amounts = transactions.map(({ amount, amount_set: set, currency }) => {
    const ofShop = moneyIn(set, 'shop_money').amount
    if (!isNothing(ofShop)) return readAmount(ofShop, 'the amount of a refund')
    const own = codeOf(currency)
    return own === undefined || own === shop ? readAmount(amount, 'the amount of a refund') : undefined
  })
  if (amounts.every((amount) => amount !== undefined)) return add(amounts)
  return ofParts(refund, transactions)
}

/**
 * Returns the transactions in shop money: the sum of the refund's parts, if in presentment money it equals what was paid
 * back.
 */
function ofParts(refund: Json, transactions: readonly Json[]): string {
  const currencies = new Set(transactions.map(({ currency }) => codeOf(currency)))
  const [own] = currencies
  const parts = partsOf(refund)
  const paid = add(transactions.map(({ amount }) => readAmount(amount, 'the amount of a refund')))
  // In some shops prices include taxes.
  const choices = [parts, parts.filter(({ isTax }) => !isTax)].map((each) => ({
    shop: sumOf(each, 'shop_money'),
    presentment: each.some(({ set }) => currencyOf(set, 'presentment_money') !== own)
      ? undefined
      : sumOf(each, 'presentment_money'),
  }))
  const saysPresentment = parts.some(({ set }) => !isNothing(moneyIn(set, 'presentment_money').amount))
  const found = saysPresentment ? choices.find(({ presentment }) => presentment === paid) : choices[0]
  const amount = parts.length === 0 || currencies.size !== 1 ? undefined : found?.shop
  if (amount === undefined || amount === '0' || amount.startsWith('-')) {
    throw new Unreadable(
      `The refund is ${paid} ${[...currencies].join(' and ')} and does not state the amount in the currency of the shop, so it does not count.`,
    )
  }
  return amount
}
