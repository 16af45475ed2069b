import { useState } from 'preact/hooks'
import type { CommentEffect, DecidedComment, SuperpowerReport } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { TextArea } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { type ListPage, Loaded, Rows, readPages } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { Actions, done, type Question, Row, Section, useChanges } from '../settings/section.tsx'
import { formatInstant } from '../times.ts'
import { Button, Empty } from '../ui.tsx'
import { byClock, usePolled } from '../use-read.ts'
import { comments as words } from '../words.ts'
import { useChannelFacts } from './queries.ts'

const PAGE_ROWS = 20

function useReports(scheduledPostId: string) {
  const { id: organizationId } = useOrganization()
  return usePolled(
    ['superpowers-of', organizationId, scheduledPostId],
    async (options) => (await call('getSuperpowerReport', { organizationId, scheduledPostId }, options)).items,
    { refetchInterval: byClock },
  )
}

/** Reads a post's newest comments, at most `rows`, and whether there are more. */
function useComments(scheduledPostId: string, rows: number) {
  const { id: organizationId } = useOrganization()
  const read = (query: { after?: string }, options: object): Promise<ListPage<DecidedComment>> =>
    call('listPostComments', { organizationId, scheduledPostId, query: { ...query, limit: PAGE_ROWS } }, options)
  return usePolled(
    ['comments', organizationId, scheduledPostId, rows],
    ({ signal }) => readPages(read, { rows, signal }),
    { placeholderData: (previous) => previous },
  )
}

/** The comments on a published post and what its superpowers did. Absent if there are none. */
export function PostComments({ id }: { id: string }) {
  const { id: organizationId } = useOrganization()
  const reports = useReports(id)
  const [rows, setRows] = useState(PAGE_ROWS)
  const comments = useComments(id, rows)
  const changes = useChanges(['superpowers-of', organizationId, id], ['comments', organizationId, id])
  if (reports.data?.length === 0) return null
  return (
    <Section title={words.title} hint={words.hint} changes={changes}>
      <Loaded read={reports}>
        {(items) => (
          <Rows label={words.title} items={items} keyOf={({ channelId }) => channelId}>
            {(report) => <Report id={id} report={report} />}
          </Rows>
        )}
      </Loaded>
      <Loaded read={comments}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty title={words.none}>{words.noneText}</Empty>
            ) : (
              <Rows label={words.title} items={items} keyOf={({ commentId }) => commentId}>
                {(comment) => <Comment comment={comment} />}
              </Rows>
            )}
            {nextCursor !== undefined && <Button onClick={() => setRows(rows + PAGE_ROWS)}>{words.more}</Button>}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** A superpower's state on one channel, with a button to stop it. */
function Report({ id, report }: { id: string; report: SuperpowerReport }) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { nameOf } = useChannelFacts(undefined)
  const { channelId, automation, stopped, problem, readProblem, comments, effects } = report
  const at = (instant: string): string => formatInstant(instant, timeZone, 'short')
  const countOf = (state: CommentEffect['state']): number =>
    effects.reduce((sum, effect) => sum + (effect.state === state ? effect.count : 0), 0)
  const stop: Question = {
    title: words.stopTitle({ channel: nameOf(channelId) }),
    text: words.stopText,
    submit: words.stop,
    isBad: true,
    fields: <TextArea label={words.reason} name="reason" required maxLength={500} rows={2} />,
    run: (form) => {
      const body = { reason: textIn(form, 'reason') }
      return done(call('stopSuperpower', { organizationId, scheduledPostId: id, channelId, body }), words.wasStopped)
    },
  }
  const facts = [
    words.counts({ total: comments.total, matched: comments.byReason.matched ?? 0 }),
    words.sent({ sent: countOf('done') }),
    ...(countOf('unknown') > 0 ? [words.unknown({ unknown: countOf('unknown') })] : []),
    ...(report.newestCommentAt === null ? [] : [words.newest({ at: at(report.newestCommentAt) })]),
    ...(report.lastReadAt === null ? [] : [words.lastRead({ at: at(report.lastReadAt) })]),
  ]
  return (
    <Row
      name={<bdi>{nameOf(channelId)}</bdi>}
      about={facts.join(' · ')}
      of={nameOf(channelId)}
      actions={may('automation:manage') && stopped === null && [{ text: words.stop, kind: 'plain', ask: stop }]}
    >
      {stopped === null ? (
        <span class={automation === 'on' ? 'state-good' : 'quiet'}>{words.modes[automation]}</span>
      ) : (
        <span class="state-bad">{words.stopped({ at: at(stopped.at), reason: stopped.reason })}</span>
      )}
      {problem !== null && <span class="state-bad">{words.platformStopped({ why: problem })}</span>}
      {readProblem !== null && <span class="state-bad">{words.notRead({ why: readProblem })}</span>}
    </Row>
  )
}

function Comment({ comment }: { comment: DecidedComment }) {
  const { timeZone, may } = useOrganization()
  const { from, text, at, group, reason, effects } = comment
  return (
    <>
      <div class="row-text">
        <span>
          <strong>
            <bdi>{from.name ?? words.unnamed}</bdi>
          </strong>{' '}
          <bdi>{text}</bdi>
        </span>
        <span class="quiet small-text">
          <time dateTime={at}>{formatInstant(at, timeZone, 'short')}</time> · {words.comments[reason]}
          {group !== null && ` · ${words.byGroup({ group: group + 1 })}`}
        </span>
        <Effects effects={effects} />
      </div>
      {from.id !== null && reason !== 'own_comment' && may('automation:manage') && (
        <OptOut comment={comment} fromId={from.id} />
      )}
    </>
  )
}

/** A button to stop all superpower messages to a comment's author. */
function OptOut({ comment: { channelId, from }, fromId }: { comment: DecidedComment; fromId: string }) {
  const { id: organizationId } = useOrganization()
  const name = from.name ?? words.unnamed
  const ask: Question = {
    title: words.optOutTitle({ name }),
    text: words.optOutText,
    submit: words.optOut,
    run: () => done(call('addOptOut', { organizationId, channelId, fromId }), words.optedOut({ name })),
  }
  return <Actions of={name} all={[{ text: words.optOut, kind: 'plain', ask }]} />
}

/** Each effect with its state, reason and text. */
export const Effects = ({ effects }: { effects: readonly CommentEffect[] }) => (
  <>
    {effects.map(({ effect, state, reason, text }) => (
      <span key={effect} class="small-text">
        <span class={state === 'done' ? 'state-good' : state === 'planned' ? 'quiet' : 'state-bad'}>
          {words.effects[effect]}: {words.states[state]}
          {reason !== null && ` (${words.effectReasons[reason]})`}
        </span>
        {text !== null && (
          <>
            {' '}
            <bdi class="quiet">{text}</bdi>
          </>
        )}
      </span>
    ))}
  </>
)
