import type { VipUserExportQuery, VipUserList } from '../../interface/audience.ts'
import { call } from '../api.ts'
import { monthsOf, onDays } from './birthday.ts'

/** Reads every person of the filter, all at one moment. */
export const readAll = (
  organizationId: string,
  filter: VipUserExportQuery,
  signal?: AbortSignal,
): Promise<VipUserList> => call('exportVipUsers', { organizationId, query: filter }, { signal })

/** Reads the people whose birthday is on one of the days, as one page, in the order of the days. */
export async function readSoon(
  organizationId: string,
  filter: VipUserExportQuery,
  days: readonly string[],
  signal?: AbortSignal,
): Promise<VipUserList> {
  const months = monthsOf(days)
  const found = await Promise.all(
    months.map((birthdayMonth) => readAll(organizationId, { ...filter, birthdayMonth }, signal)),
  )
  const scanCapped = found.some((list) => list.scanCapped)
  const items = onDays(
    found.flatMap((list) => list.items),
    days,
  )
  const many = items.length
  return { items, returned: many, total: many, mayHaveMore: false, nextOffset: many, scanCapped }
}

/** Reads the ids of everyone who is marked as a VIP. */
export async function readMarks(
  organizationId: string,
  filter: VipUserExportQuery,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const query = { ...filter, scope: 'vip', compact: 'true' } as const
  const { items } = await readAll(organizationId, query, signal)
  return new Set(items.map(({ conversationId }) => conversationId))
}
