/** The id of the refund in a file: the total of an order's refunds. */
export const REFUND_OF_FILE = 'export'
/** The id of the refund that an order's state implies. It counts while the newest version has that state. */
export const REFUND_OF_STATUS = 'state of the order'

/**
 * SQL for the amount of a refund, given the names of its row and of its order's row. A refund without an amount covers the
 * whole order. The total in a file counts for what the separately received refunds do not cover.
 */
export const amountOfRefund = (refund: string, order: string): string =>
  `case ${refund}.refund_id
        when '${REFUND_OF_STATUS}' then case when ${order}.is_refunded then ${order}.amount else 0 end
        when '${REFUND_OF_FILE}' then greatest(0, ${refund}.amount - coalesce((
               select sum(coalesce(told.amount, ${order}.amount)) from refunds told
                where told.organization_id = $1 and told.source_id = ${refund}.source_id
                  and told.order_id = ${refund}.order_id
                  and told.refund_id not in ('${REFUND_OF_FILE}', '${REFUND_OF_STATUS}')), 0))
        else coalesce(${refund}.amount, ${order}.amount) end`
