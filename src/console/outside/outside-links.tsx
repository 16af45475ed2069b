import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import { createReviewLink, listReviewLinks, revokeReviewLink } from '../api.ts'
import { now, POLL_MS } from '../clock.ts'
import { SelectField, TextField } from '../fields.tsx'
import { CopyField, FormDialog, textIn, toLink } from '../forms.tsx'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { Button, Dialog, Loading, Problem } from '../ui.tsx'
import { common } from '../words.ts'
import { words } from './words.ts'
import './outside.css'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'

const DAY_MS = 86_400_000
const DAYS = ['1', '3', '7', '14', '30']
const DAYS_UNLESS_CHOSEN = '7'

/** The links by which people without an account decide about a post: lists, makes and revokes them. */
export function OutsideLinks({ postId }: { postId: string }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const [makes, setMakes] = useState(false)
  const mayMake = may('posts:approve')
  const queryKey = ['review-links', organizationId, postId]
  const links = useRead({
    queryKey,
    queryFn: ({ signal }) => listReviewLinks(organizationId, postId, { signal }),
    refetchInterval: POLL_MS,
  })
  const refresh = () => client.invalidateQueries({ queryKey })
  const { error, act } = useAct({ onSettled: refresh })
  if (!mayMake && !may('people:write')) return null
  return (
    <section class="card outside-links" aria-labelledby="outside-title">
      <h2 id="outside-title">{words.linksTitle}</h2>
      <p class="quiet">{words.linksLead}</p>
      <Problem error={error ?? links.error} />
      {links.data === undefined && links.error === null && <Loading lines={1} />}
      {links.data !== undefined && links.data.length > 0 && (
        <ul>
          {links.data.map(({ id, name, madeBy, expiresAt }) => (
            <li key={id}>
              <span>
                <strong>{name}</strong>{' '}
                <span class="quiet small-text">
                  {words.linkOf(madeBy, formatInstant(expiresAt, timeZone, 'short'))}
                </span>
              </span>
              <Button
                kind="small"
                aria-label={words.revokeOf(name)}
                onClick={() => void act(() => revokeReviewLink(organizationId, postId, id), words.revoked(name))}
              >
                {words.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {mayMake && (
        <div class="actions">
          <Button onClick={() => setMakes(true)}>{words.make}</Button>
        </div>
      )}
      {makes && (
        <LinkDialog
          postId={postId}
          onClose={() => {
            setMakes(false)
            void refresh()
          }}
        />
      )}
    </section>
  )
}

function LinkDialog({ postId, onClose }: { postId: string; onClose: () => void }) {
  const { id: organizationId } = useOrganization()
  const [made, setMade] = useState<{ name: string; url: string }>()
  if (made !== undefined) {
    return (
      <Dialog title={words.madeTitle(made.name)} onClose={onClose}>
        <div class="form">
          <CopyField label={words.link} value={made.url} hint={words.madeHint} />
          <div class="actions">
            <Button onClick={onClose}>{common.close}</Button>
          </div>
        </div>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={words.makeTitle}
      submit={words.makeSubmit}
      onClose={onClose}
      onSubmit={async (form) => {
        const name = textIn(form, 'name')
        const expiresAt = new Date(now() + Number(form.get('days')) * DAY_MS).toISOString()
        const { path } = await createReviewLink(organizationId, postId, { name, expiresAt })
        setMade({ name, url: toLink(path) })
      }}
    >
      <TextField label={words.forWhom} hint={words.forWhomHint} name="name" autofocus required maxLength={200} />
      <SelectField
        label={words.worksFor}
        name="days"
        values={DAYS}
        textOf={(days) => common.count(Number(days), 'day')}
        selected={DAYS_UNLESS_CHOSEN}
      />
    </FormDialog>
  )
}
