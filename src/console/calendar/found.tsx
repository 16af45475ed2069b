import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { calendar as words } from '../words.ts'
import { toDay } from '../zoned.ts'
import type { PostActions } from './chip.tsx'
import { DayList } from './day-list.tsx'
import { FOUND_MAX, type useFound } from './queries.ts'
import type { Moved } from './use-moves.tsx'
import { groupByDay } from './view.ts'

interface FoundProps {
  read: ReturnType<typeof useFound>
  today: string
  actions: PostActions
  moved: Moved | undefined
}

/** Search results, from any time. */
export function Found({ read, today, actions, moved }: FoundProps) {
  const { timeZone } = useOrganization()
  return (
    <Loaded read={read} lines={9}>
      {(items) => {
        const timed = items.flatMap(({ scheduledFor }) => scheduledFor ?? [])
        const days = [...new Set(timed.map((instant) => toDay(instant, timeZone)))]
        return (
          <>
            <p class="quiet" role="status">
              {(items.length < FOUND_MAX ? words.found : words.foundFirst)({ many: items.length })}
            </p>
            <DayList
              days={days}
              byDay={days.length === 0 ? new Map() : groupByDay(items, days, timeZone)}
              timeless={items.filter(({ scheduledFor }) => scheduledFor === undefined)}
              today={today}
              actions={actions}
              hasYears
              empty={words.foundNone}
              moved={moved}
            />
          </>
        )
      }}
    </Loaded>
  )
}
