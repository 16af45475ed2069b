import type { VipUser, VipUserList, VipUserQuery } from '../../interface/audience.ts'
import { listVipUsers } from '../api.ts'
import { readPages } from '../list.tsx'
import { monthsOf, onDays } from './birthday.ts'

/** The service gives no more rows at once. */
const ROWS_AT_ONCE = 200
const IDS_AT_ONCE = 5000

interface Options {
  signal?: AbortSignal | undefined
  onRead?: (rows: number) => void
  limit?: number
}

/** Reads every person of the filter, page by page. */
export async function readAll(
  organizationId: string,
  filter: VipUserQuery,
  { limit = ROWS_AT_ONCE, ...options }: Options = {},
): Promise<VipUser[]> {
  const { items } = await readPages(async ({ after }, { signal }) => {
    const query = { ...filter, limit, offset: Number(after ?? 0) }
    const page = await listVipUsers(organizationId, query, { signal })
    return { items: page.items, nextCursor: page.mayHaveMore && page.returned > 0 ? String(page.nextOffset) : null }
  }, options)
  return items
}

/** Reads the people whose birthday is on one of the days, as one page, in the order of the days. */
export async function readSoon(
  organizationId: string,
  filter: VipUserQuery,
  days: readonly string[],
  signal?: AbortSignal,
): Promise<VipUserList> {
  const months = monthsOf(days)
  const found = await Promise.all(
    months.map((birthdayMonth) => readAll(organizationId, { ...filter, birthdayMonth }, { signal })),
  )
  // Any page of the list says whether it was cut.
  const query = { ...filter, birthdayMonth: months[0]!, limit: 1 }
  const { scanCapped } = await listVipUsers(organizationId, query, { signal })
  const items = onDays(found.flat(), days)
  const many = items.length
  return { items, returned: many, total: many, mayHaveMore: false, nextOffset: many, scanCapped }
}

/** Reads the ids of everyone who is marked as a VIP. */
export async function readMarks(
  organizationId: string,
  filter: VipUserQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const query = { ...filter, scope: 'vip', compact: 'true' } as const
  const rows = await readAll(organizationId, query, { limit: IDS_AT_ONCE, signal })
  return new Set(rows.map(({ conversationId }) => conversationId))
}
