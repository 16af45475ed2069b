import { call } from '../api.ts'
import { now } from '../clock.ts'
import { SelectField, TextField } from '../fields.tsx'
import { CopyField, textIn, toLink } from '../forms.tsx'
import { useOrganization } from '../organization.ts'
import { type Question, useChanges } from '../settings/section.tsx'
import { Button } from '../ui.tsx'
import { outside as words } from '../words.ts'

const DAY_MS = 86_400_000
const DAYS = ['1', '3', '7', '14', '30']
const DAYS_UNLESS_CHOSEN = '7'

/**
 * Returns a check whether the person may share posts of these channels: as an approver, or with reviewers whom the
 * organization has named.
 */
export function useMaySend(): (channelIds: readonly string[]) => boolean {
  const { may, reviewers } = useOrganization()
  return (channelIds) => may('posts:approve', channelIds) || (may('posts:write', channelIds) && reviewers.length > 0)
}

interface SendPostsProps {
  text: string
  postIds: readonly string[]
  /** The channels of the posts. */
  channelIds: readonly string[]
  kind?: string
}

/** A button that creates a review link for posts; absent if the person may not. */
export function SendPosts({ text, postIds, channelIds, kind }: SendPostsProps) {
  const { id: organizationId, may, reviewers } = useOrganization()
  const { dialog, ask } = useChanges(['review-links', organizationId])
  const maySend = useMaySend()
  if (!maySend(channelIds)) return null
  const recipients = [...(may('posts:approve', channelIds) ? [''] : []), ...reviewers]
  const question: Question = {
    title: words.sendTitle({ many: postIds.length }),
    submit: words.makeSubmit,
    ...(postIds.length > 1 && { text: words.sendText }),
    fields: (
      <>
        <TextField label={words.forWhom} hint={words.forWhomHint} name="name" autofocus required maxLength={200} />
        <SelectField
          label={words.worksFor}
          name="days"
          values={DAYS}
          textOf={(days) => words.days({ many: Number(days) })}
          selected={DAYS_UNLESS_CHOSEN}
        />
        {reviewers.length > 0 && (
          <SelectField
            label={words.sendBy}
            hint={words.sendByHint}
            name="mail"
            values={recipients}
            textOf={(mail) => (mail === '' ? words.byHand : words.byMail({ mail }))}
          />
        )}
      </>
    ),
    run: async (form) => {
      const name = textIn(form, 'name')
      const mail = textIn(form, 'mail')
      const expiresAt = new Date(now() + Number(form.get('days')) * DAY_MS).toISOString()
      const body = { name, expiresAt, scheduledPostIds: [...postIds] }
      if (mail !== '') {
        await call('sendReviewLink', { organizationId, body: { ...body, mail } })
        return { announcement: words.sent({ mail }) }
      }
      const { path } = await call('createReviewLink', { organizationId, body })
      const children = <CopyField label={words.link} value={toLink(path)} />
      return { secret: { title: words.madeTitle({ name }), lead: words.madeHint, children } }
    },
  }
  return (
    <>
      <Button kind={kind ?? ''} onClick={() => ask(question)}>
        {text}
      </Button>
      {dialog}
    </>
  )
}
