import { useState } from 'preact/hooks'
import { useOrganization } from '../organization.ts'
import { Button } from '../ui.tsx'
import { calendar as words } from '../words.ts'
import { FeedDialog } from './feed-dialog.tsx'
import { SlotsDialog } from './slots-dialog.tsx'

/** Opens rarely used tools: the calendar feed and the posting slots. */
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
