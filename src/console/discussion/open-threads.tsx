import { Icon } from '../icons.tsx'
import { discussion as words } from '../words.ts'

/** The number of open threads about a post in a list; absent if there are none. */
export function OpenThreads({ many = 0 }: { many: number | undefined }) {
  if (many === 0) return null
  return (
    <span class="open-threads" title={words.open({ many })}>
      <Icon name="talk" />
      <span aria-hidden="true">{many}</span>
      <span class="hidden">{words.open({ many })}</span>
    </span>
  )
}
