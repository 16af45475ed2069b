/** The id of the refund that a file tells of: all of an order's refunds in sum. */
export const REFUND_OF_FILE = 'export'
/** The id of the refund that the state of an order stands for. It counts while the newest version has that state. */
export const REFUND_OF_STATUS = 'state of the order'

/**
 * The amount of a refund, in SQL, with the names of its row and of that of its order: one without an amount is of the whole
 * order. The sum that a file tells counts as far as the refunds that came by themselves do not reach it.
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
