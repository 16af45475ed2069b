import type { ScheduledPost } from '../../interface/generated/types.ts'
import { createReviewLink, listReviewLinks, revokeReviewLink } from '../api.ts'
import { now } from '../clock.ts'
import { CopyField, textIn, toLink } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { done, type Question, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button, Loading, Problem } from '../ui.tsx'
import { usePolled } from '../use-read.ts'
import { DAY_MS, LinkFields } from './link-fields.tsx'
import { words } from './words.ts'
import './outside.css'

/** The links by which people without an account decide about a post: lists, makes and revokes them. */
export function OutsideLinks({ post: { id: postId, mediumsData } }: { post: ScheduledPost }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const mayMake = may('posts:approve', Object.keys(mediumsData))
  const queryKey = ['review-links', organizationId, postId]
  const links = usePolled(queryKey, (options) => listReviewLinks(organizationId, postId, options))
  const { error, dialog, change, ask, refresh } = useChanges(queryKey)
  const newLink: Question = {
    title: words.makeTitle,
    submit: words.makeSubmit,
    fields: <LinkFields />,
    run: async (form) => {
      const name = textIn(form, 'name')
      const expiresAt = new Date(now() + Number(form.get('days')) * DAY_MS).toISOString()
      const { path } = await createReviewLink(organizationId, postId, { name, expiresAt })
      const children = <CopyField label={words.link} value={toLink(path)} />
      return { secret: { title: words.madeTitle(name), lead: words.madeHint, children } }
    },
  }
  const revoke = async (linkId: string, name: string): Promise<void> => {
    const revoking = () => done(revokeReviewLink(organizationId, postId, linkId), words.revoked(name))
    // It is refused where the link is over already, and must not be offered any more.
    if (!(await change(revoking))) await refresh()
  }
  if (!mayMake && !may('people:write')) return null
  return (
    <section class="card outside-links" aria-labelledby="outside-title">
      <h2 id="outside-title">{words.linksTitle}</h2>
      <p class="quiet">{words.linksLead}</p>
      <Problem error={links.error} />
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
              <Button kind="small" aria-label={words.revokeOf(name)} onClick={() => void revoke(id, name)}>
                {words.revoke}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {mayMake && (
        <div class="actions">
          <Button onClick={() => ask(newLink)}>{words.make}</Button>
        </div>
      )}
      <Refusal error={error} />
      {dialog}
    </section>
  )
}
