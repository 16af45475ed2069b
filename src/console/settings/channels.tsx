import { AUTOMATION_MODES, type AutomationMode } from '../../interface/automation.ts'
import type {
  Channel,
  ChannelPatch,
  ChannelSubscription,
  OrganizationChannel,
} from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { SelectField, TextArea, TextField } from '../fields.tsx'
import { textIn } from '../forms.tsx'
import { Loaded } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { useChannels } from '../posts/queries.ts'
import { formatInstant } from '../times.ts'
import { Empty } from '../ui.tsx'
import { byClock } from '../use-read.ts'
import { common, channels as ownWords, textOf, settings as words } from '../words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { OptOuts } from './opt-outs.tsx'
import { type Action, done, ListSection, type Question, Row, useChanges } from './section.tsx'
import { TokenField, tokenActions, tokenIn, useConnected } from './token.tsx'
import { type KnownWorkspace, renameAction, useWorkspaces, Workspaces, WorkspacesOf } from './workspaces.tsx'

const TYPES = ['FB_PAGE', 'INSTAGRAM_ACCOUNT'] as const

/** The channels, their problems, and their workspaces. */
export function Channels() {
  const workspaces = useWorkspaces()
  return (
    <Loaded read={workspaces}>
      {(known) => (
        <>
          <ChannelList workspaces={known} />
          <Workspaces workspaces={workspaces} />
        </>
      )}
    </Loaded>
  )
}

function ChannelList({ workspaces }: { workspaces: KnownWorkspace[] }) {
  const { id: organizationId, may } = useOrganization()
  const mayWrite = may('settings:write')
  const changes = useChanges(['channels', organizationId], ['workspaces', organizationId])
  const connected = useConnected()
  const add: Question = {
    title: words.addChannel,
    submit: words.add,
    fields: <ChannelFields />,
    run: async (form) => {
      const type = textIn(form, 'type') as Channel['type']
      const body = { type, platformId: textIn(form, 'platformId'), name: textIn(form, 'name'), ...tokenIn(form) }
      return connected(await call('createChannel', { organizationId, body }))
    },
  }
  const actionsOf = (channel: OrganizationChannel) => {
    const { id: channelId, name, status } = channel
    const update = (body: ChannelPatch) => call('updateChannel', { organizationId, channelId, body })
    const [connect, disconnect] = tokenActions({
      name,
      hasToken: status !== 'not-connected',
      hint: words.tokenHint,
      loss: words.disconnectChannel,
      setToken: async (body) => connected(await update(body)),
    })
    const onDelete = (force: boolean) => call('deleteChannel', { organizationId, channelId, query: { force } })
    const dialog = <DeleteDialog name={name} text={words.deleteChannel} onDelete={onDelete} />
    return [
      may('automation:manage') && superpowersAction(channel, update),
      may('automation:manage') && {
        text: ownWords.optOuts,
        kind: 'plain',
        run: () => changes.open(<OptOuts channel={channel} onClose={changes.close} />),
      },
      connect,
      renameAction(name, update),
      disconnect,
      { text: words.delete, kind: 'plain', run: () => changes.open(dialog) },
    ]
  }
  return (
    <ListSection
      title={words.sections.channels}
      changes={changes}
      add={mayWrite && add}
      // The revision does not cover the time of the last delivery.
      read={useChannels({ refetchInterval: byClock })}
      empty={<Empty title={words.noChannelTitle}>{words.noChannel}</Empty>}
      row={(channel) => (
        <Row
          name={<bdi>{channel.name}</bdi>}
          about={`${textOf(common.channelTypes, channel.type)} · ${channel.id}`}
          of={channel.name}
          actions={mayWrite && actionsOf(channel)}
        >
          <span class={channel.status === 'connected' ? 'state-good' : 'state-bad'}>
            {words.health[channel.status]}
          </span>
          {channel.problem !== undefined && <span>{channel.problem}</span>}
          <Token channel={channel} />
          <Automation channel={channel} />
          {channel.subscription && <Subscription subscription={channel.subscription} />}
          {workspaces.length > 0 && <WorkspacesOf channel={channel} workspaces={workspaces} />}
        </Row>
      )}
    />
  )
}

/** Asks what superpowers may do on a channel. Saving restarts one that the platform has stopped. */
function superpowersAction(channel: OrganizationChannel, update: (body: ChannelPatch) => Promise<unknown>): Action {
  const { name, automation, automatedNotice, privateRepliesPerHour } = channel
  const ask: Question = {
    title: ownWords.superpowersOf({ name }),
    text: ownWords.superpowersText,
    submit: common.save,
    fields: (
      <>
        <SelectField
          label={ownWords.superpowers}
          name="automation"
          values={AUTOMATION_MODES}
          textOf={(mode) => ownWords.modes[mode]}
          selected={automation}
        />
        <TextArea
          label={ownWords.notice}
          hint={ownWords.noticeHint}
          name="notice"
          maxLength={500}
          rows={2}
          defaultValue={automatedNotice ?? ''}
        />
        <TextField
          label={ownWords.perHour}
          name="perHour"
          type="number"
          min={1}
          max={750}
          required
          defaultValue={String(privateRepliesPerHour)}
        />
      </>
    ),
    run: (form) =>
      done(
        update({
          automation: textIn(form, 'automation') as AutomationMode,
          automatedNotice: textIn(form, 'notice') || null,
          privateRepliesPerHour: Number(textIn(form, 'perHour')),
        }),
        ownWords.changed,
      ),
  }
  return { text: ownWords.superpowers, kind: 'plain', ask }
}

/** Shows the login that connected the channel, and the permissions missing from its token. */
const Token = ({ channel: { login, missingPermissions: missing } }: { channel: OrganizationChannel }) =>
  login === undefined ? null : (
    <>
      <span class="quiet">
        {ownWords.logins[login]}
        {missing === undefined && ` ${ownWords.permissionsUnknown}`}
      </span>
      {missing?.map(({ permission, neededFor }) => (
        <span key={permission} class="state-bad">
          {ownWords.lacks({ permission, what: neededFor.map((one) => ownWords.neededFor[one]).join(', ') })}
        </span>
      ))}
    </>
  )

function Automation({ channel }: { channel: OrganizationChannel }) {
  const { timeZone } = useOrganization()
  const { automation, automationProblem, newestCommentAt, commentsReadAt } = channel
  const at = (instant: string): string => formatInstant(instant, timeZone, 'short')
  const seen = [
    newestCommentAt !== null && ownWords.newestComment({ at: at(newestCommentAt) }),
    commentsReadAt !== null && ownWords.commentsRead({ at: at(commentsReadAt) }),
  ].filter(Boolean)
  return (
    <>
      <span class={automation === 'on' ? 'state-good' : 'quiet'}>{ownWords.states[automation]}</span>
      {automationProblem !== null && (
        <span class="state-bad">{ownWords.stopped({ why: automationProblem.reason })}</span>
      )}
      {seen.length > 0 && <span class="quiet small-text">{seen.join(' · ')}</span>}
    </>
  )
}

const Subscription = ({ subscription: { state, problem } }: { subscription: ChannelSubscription }) => (
  <span class={state === 'REFUSED' ? 'state-bad' : state === 'SUBSCRIBED' ? 'state-good' : 'quiet'}>
    {state === 'REFUSED' ? ownWords.refused({ problem: problem ?? '' }) : ownWords.subscription[state]}
  </span>
)

const ChannelFields = () => (
  <>
    <SelectField label={words.kind} name="type" values={TYPES} textOf={(type) => textOf(common.channelTypes, type)} />
    <TextField
      label={words.platformId}
      hint={words.channelIdHint}
      name="platformId"
      required
      pattern="[0-9]+"
      inputMode="numeric"
      maxLength={32}
    />
    <TextField label={words.name} name="name" required maxLength={200} />
    <TokenField hint={words.tokenHint} />
  </>
)
