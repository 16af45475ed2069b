import { useQuery, useQueryClient } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import { createReviewLink, listReviewLinks, revokeReviewLink } from '../api.ts'
import { now } from '../clock.ts'
import { useOrganization } from '../session.tsx'
import { formatInstant } from '../times.ts'
import { announce, Dialog, Field, Loading, Problem } from '../ui.tsx'
import { words as all, outsideWords as words } from '../words.ts'
import './outside.css'

const DAY_MS = 86_400_000
const DAYS = [1, 3, 7, 14, 30]
const DAYS_UNLESS_CHOSEN = 7

/** The links by which people without an account decide about a post that waits: who has one, and making another. */
export function OutsideLinks({ postId }: { postId: string }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const client = useQueryClient()
  const [makes, setMakes] = useState(false)
  const [error, setError] = useState<unknown>()
  const mayMake = may('posts:approve')
  const queryKey = ['review-links', organizationId, postId]
  const links = useQuery({
    queryKey,
    queryFn: ({ signal }) => listReviewLinks(organizationId, postId, { signal }),
    refetchInterval: 15_000,
  })
  const revoke = async (id: string, name: string): Promise<void> => {
    setError(undefined)
    try {
      await revokeReviewLink(organizationId, postId, id)
      announce(words.revoked(name))
    } catch (thrown) {
      setError(thrown)
    }
    await client.invalidateQueries({ queryKey })
  }
  if (!mayMake && !may('people:write')) return null
  return (
    <section class="card outside-links" aria-labelledby="outside-title">
      <h2 id="outside-title">{words.linksTitle}</h2>
      <p class="quiet">{words.linksLead}</p>
      {(error ?? links.error) != null && <Problem error={error ?? links.error} />}
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
              <button
                type="button"
                class="button small"
                aria-label={words.revokeOf(name)}
                onClick={() => void revoke(id, name)}
              >
                {words.revoke}
              </button>
            </li>
          ))}
        </ul>
      )}
      {mayMake && (
        <div class="actions">
          <button type="button" class="button" onClick={() => setMakes(true)}>
            {words.make}
          </button>
        </div>
      )}
      {makes && (
        <LinkDialog
          organizationId={organizationId}
          postId={postId}
          onClose={() => {
            setMakes(false)
            void client.invalidateQueries({ queryKey })
          }}
        />
      )}
    </section>
  )
}

function LinkDialog({
  organizationId,
  postId,
  onClose,
}: {
  organizationId: string
  postId: string
  onClose: () => void
}) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [made, setMade] = useState<{ name: string; url: string }>()
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const name = String(form.get('name'))
    const expiresAt = new Date(now() + Number(form.get('days')) * DAY_MS).toISOString()
    setBusy(true)
    setError(undefined)
    try {
      const { path } = await createReviewLink(organizationId, postId, { name, expiresAt })
      setMade({ name, url: new URL(`.${path}`, document.baseURI).href })
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  if (made !== undefined) return <MadeDialog {...made} onClose={onClose} />
  return (
    <Dialog title={words.makeTitle} onClose={onClose}>
      <form class="form" onSubmit={onSubmit}>
        {error !== undefined && <Problem error={error} />}
        <Field label={words.forWhom} hint={words.forWhomHint}>
          {(attributes) => <input {...attributes} name="name" autofocus required maxLength={200} />}
        </Field>
        <Field label={words.worksFor}>
          {(attributes) => (
            <select {...attributes} name="days">
              {DAYS.map((days) => (
                <option key={days} value={days} selected={days === DAYS_UNLESS_CHOSEN}>
                  {all.count(days, 'day')}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="actions">
          <button type="submit" class="button primary" disabled={busy}>
            {words.makeSubmit}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {all.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function MadeDialog({ name, url, onClose }: { name: string; url: string; onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  const copy = async (): Promise<void> => {
    field.current?.select()
    try {
      await navigator.clipboard.writeText(url)
      announce(words.copied)
    } catch {
      // It is selected: the browser's own way copies it.
      announce(words.copyByHand)
    }
  }
  return (
    <Dialog title={words.madeTitle(name)} onClose={onClose}>
      <div class="form">
        <Field label={words.link} hint={words.madeHint}>
          {(attributes) => <input {...attributes} ref={field} readOnly value={url} />}
        </Field>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => void copy()}>
            {words.copy}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {all.close}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
