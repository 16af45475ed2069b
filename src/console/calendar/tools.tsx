import { useState } from 'preact/hooks'
import { lazyPage } from '../lazy-page.tsx'
import { useOrganization } from '../organization.ts'
import { Button } from '../ui.tsx'
import { words } from './words.ts'

const FeedDialog = lazyPage(() => import('./feed-dialog.tsx'), { isPart: true })
const SlotsDialog = lazyPage(() => import('./slots-dialog.tsx'), { isPart: true })

/** Leads to what few visits need: the address for calendar programs, and the posting slots. */
export function Tools() {
  const { mayAnywhere } = useOrganization()
  const [open, setOpen] = useState<'feed' | 'slots'>()
  const close = (): void => setOpen(undefined)
  return (
    <div class="calendar-tools" role="group" aria-label={words.tools}>
      {mayAnywhere('posts:write') && (
        <Button kind="small" onClick={() => setOpen('slots')}>
          {words.slots}
        </Button>
      )}
      <Button kind="small" onClick={() => setOpen('feed')}>
        {words.feed}
      </Button>
      {open === 'feed' && <FeedDialog onClose={close} />}
      {open === 'slots' && <SlotsDialog onClose={close} />}
    </div>
  )
}
