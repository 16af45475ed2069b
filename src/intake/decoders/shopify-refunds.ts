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

// A shop that sells in several currencies keeps its books in one, its shop money. Customers pay and get back presentment
// money, and a transaction gives only that: its number means nothing for the value of the order.

type Money = 'shop_money' | 'presentment_money'

const moneyIn = (set: unknown, money: Money): Json => asObject(asObject(set)[money])
const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= 10 && value.trim() !== '' ? value.trim().toUpperCase() : undefined
const currencyOf = (set: unknown, money: Money): string | undefined => {
  const { currency_code: code, currency } = moneyIn(set, money)
  return codeOf(code) ?? codeOf(currency)
}

/** One amount of a refund, with the sign that it has in the sum. */
interface Part {
  set: unknown
  /** The same in shop money, as a plain value. */
  plain: unknown
  isTaken: boolean
  isTax: boolean
}

/** The parts of a refund: items, shipping and duties, less what was kept back. */
function partsOf(refund: Json): Part[] {
  const adjustments = asList(refund.order_adjustments).map(asObject)
  // Newer versions name shipping in a list of its own; adjustments that stand for the same are not added to it.
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
    // Negative for shipping that was given back, positive for what was kept.
    ...adjustments.flatMap((adjustment) => [
      { set: adjustment.amount_set, plain: adjustment.amount, isTaken: true, isTax: false },
      { set: adjustment.tax_amount_set, plain: adjustment.tax_amount, isTaken: true, isTax: true },
    ]),
    ...(isNothing(refund.total_duties_set) ? [] : [{ ...given, set: refund.total_duties_set, plain: undefined }]),
  ].filter(({ set, plain }) => !isNothing(set) || !isNothing(plain))
}

/** The sum of the parts; undefined where one does not say this money. */
function sumOf(parts: readonly Part[], money: Money): string | undefined {
  const amounts = parts.map(({ set, plain, isTaken }) => {
    const given = firstGiven(moneyIn(set, money).amount, money === 'shop_money' ? plain : undefined)
    if (given === undefined) return undefined
    const amount = readSigned(given, 'the amount of a refund')
    return isTaken ? negate(amount) : amount
  })
  return amounts.every((amount) => amount !== undefined) ? add(amounts) : undefined
}

/** The currency of the shop, as the sets of a refund say it. */
const shopCurrencyIn = (refund: Json): string | undefined =>
  partsOf(refund)
    .map(({ set }) => currencyOf(set, 'shop_money'))
    .find((code) => code !== undefined)

/**
 * The money that went back, in the currency of the shop: the successful transactions of a refund, which may be of less than
 * what was returned. Undefined where there is none. Throws Unreadable where the transactions are in another currency and
 * nothing says what that is in the currency of the shop.
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

/** The transactions in shop money: the sum of the parts of the refund, if in presentment money it is what was paid back. */
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
      `The refund is of ${paid} ${[...currencies].join(' and ')}, and does not say what that is in the currency of the shop. It does not count.`,
    )
  }
  return amount
}
