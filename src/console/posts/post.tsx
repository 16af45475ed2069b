import { useQueryClient } from '@tanstack/preact-query'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { countCaption } from '../../interface/caption-limits.ts'
import { isEditable } from '../../interface/post-status.ts'
import type { ScheduledPost, ScheduledPostChannel } from '../../interface/posts.ts'
import {
  ApiError,
  createScheduledPost,
  deleteScheduledPost,
  retryScheduledPost,
  revertScheduledPost,
  submitScheduledPost,
  updateScheduledPost,
  type VersionedPost,
} from '../api.ts'
import { words as approvalWords } from '../approvals/words.ts'
import { newKey, now } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { hrefOf, useUrlQuery } from '../navigation.ts'
import { OutsideLinks } from '../outside/outside-links.tsx'
import { useMe, useOrganization } from '../session.tsx'
import { formatInstant, zoneName } from '../times.ts'
import { announce, Dialog, Empty, Field, isMissing, Loading, Page, Problem, Status } from '../ui.tsx'
import { useNow } from '../use-now.ts'
import { common } from '../words.ts'
import {
  type ChannelDraft,
  type Draft,
  draftKey,
  EMPTY_DRAFT,
  findDraft,
  isSame,
  keepDraft,
  savedIdOf,
  toDraft,
  toNewPost,
  toPatch,
} from './draft.ts'
import { actorName, changedFields, failuresOf, History, linksOf } from './history.tsx'
import { MediaField, problemsOfUpload, useUploads } from './media-field.tsx'
import { refreshPosts } from './post-text.ts'
import { ChannelPreview } from './preview.tsx'
import { useChannels, useHistory, usePost, useSuperpowers } from './queries.ts'
import { instantOf, problemOfTime, ScheduleField } from './schedule-field.tsx'
import { problemsIn, SuperpowerDialog } from './superpower-dialog.tsx'
import type { PlacedProblem } from './superpower-form.ts'
import { postWords } from './words.ts'
import './post.css'

const words = postWords.editor

/** `/posts/new`, or the post that the address names. */
export default function PostPage() {
  const { params } = useRoute()
  const id = params.rest
  return id === undefined || id === 'new' ? <NewPost /> : <KnownPost key={id} id={id} />
}

function NewPost() {
  const { timeZone, may } = useOrganization()
  const { query } = useUrlQuery()
  const base = useMemo(() => ({ ...EMPTY_DRAFT, time: query.time ?? '' }), [timeZone])
  if (!may('posts:write')) {
    return (
      <Page title={words.newTitle}>
        <Empty title={words.permissionMissing} />
      </Page>
    )
  }
  return (
    <Page title={words.newTitle}>
      <Editor read={undefined} latest={undefined} base={base} onReload={() => {}} />
    </Page>
  )
}

function KnownPost({ id }: { id: string }) {
  const { id: organizationId, timeZone } = useOrganization()
  const latest = usePost(id)
  // What the form began with; the newest one as long as nothing is typed.
  const [read, setRead] = useState<VersionedPost>()
  useEffect(() => {
    if (read === undefined && latest.data !== undefined) setRead(latest.data)
  }, [latest.data])
  const shown = read ?? latest.data
  const base = useMemo(() => (shown === undefined ? undefined : toDraft(shown.post, timeZone)), [shown, timeZone])
  return (
    <Page title={words.title} aside={latest.data && <Status status={latest.data.post.status} />}>
      {shown === undefined || base === undefined ? (
        latest.error ? (
          <>
            <Problem error={latest.error} onRetry={latest.refetch} />
            {isMissing(latest.error) && <a href={hrefOf(organizationId, 'calendar')}>{words.toCalendar}</a>}
          </>
        ) : (
          <Loading lines={10} />
        )
      ) : (
        <>
          {isMissing(latest.error) && <Problem error={latest.error} />}
          <Editor read={shown} latest={latest.data} base={base} onReload={setRead} />
        </>
      )}
    </Page>
  )
}

interface EditorProps {
  /** The version that the form was filled with; undefined for a new post. */
  read: VersionedPost | undefined
  /** The newest one that is known. */
  latest: VersionedPost | undefined
  base: Draft
  onReload: (version: VersionedPost) => void
}

function Editor({ read, latest, base, onReload }: EditorProps) {
  const { id: organizationId, timeZone, may } = useOrganization()
  const { person } = useMe()
  const { route } = useLocation()
  const client = useQueryClient()
  const nowMs = useNow()
  const channels = useChannels()
  const saved = useSuperpowers()
  const postId = read?.post.id ?? 'new'
  const key = draftKey(person.id, organizationId, postId)
  const kept = useMemo(() => findDraft(key), [key])
  const [draft, setDraft] = useState<Draft>(kept?.draft ?? base)
  const [start, setStart] = useState<Draft>(kept?.base ?? base)
  const [etag, setEtag] = useState(kept?.etag ?? read?.etag ?? '')
  const [restored, setRestored] = useState(kept !== undefined)
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const [asks, setAsks] = useState<'delete' | 'revert' | undefined>()
  const createKey = useRef(newKey())
  const history = useHistory(read?.post.id, latest?.etag)

  const isDirty = !isSame(draft, start)
  const post = latest?.post ?? read?.post
  const canEdit = may('posts:write') && (post === undefined || isEditable(post.status))
  const isNewer = latest !== undefined && etag !== '' && latest.etag !== etag
  const scheduledFor = instantOf(draft.time, draft.occurrence, timeZone)
  const timeProblem = problemOfTime(draft.time, draft.occurrence, timeZone, nowMs)

  const fill = (version: VersionedPost): void => {
    const fresh = toDraft(version.post, timeZone)
    setDraft(fresh)
    setStart(fresh)
    setEtag(version.etag)
    setRestored(false)
    keepDraft(draftKey(person.id, organizationId, version.post.id), undefined)
    onReload(version)
  }
  // Nothing typed: show what others change. In the layout effect: after the paint it could overwrite a key.
  useLayoutEffect(() => {
    if (isNewer && !isDirty && !busy) fill(latest)
  }, [latest?.etag, isDirty, busy])
  // Before the next key: a reload loses none.
  useLayoutEffect(() => {
    if (canEdit) keepDraft(key, isDirty ? { etag, base: start, draft } : undefined)
  }, [draft, start, etag])

  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }))
  const changeChannel = (id: string, changes: Partial<ChannelDraft> | null): void =>
    setDraft((before) => {
      const { [id]: present, ...others } = before.channels
      if (changes === null) return { ...before, channels: others }
      const next = { caption: '', superpower: 'none' as const, ...present, ...changes }
      return { ...before, channels: { ...before.channels, [id]: next } }
    })

  /** Does something with the post as it is shown; a 412 leaves all that was typed where it is. */
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
    } catch (thrown) {
      setError(thrown)
      if (thrown instanceof ApiError && thrown.status === 412) {
        await client.invalidateQueries({ queryKey: ['post', organizationId, postId] })
      }
    } finally {
      setBusy(false)
      void refreshPosts(client)
    }
  }
  const put = (version: VersionedPost): void => {
    client.setQueryData(['post', organizationId, version.post.id], version)
    fill(version)
  }
  /** Stores what was typed; gives the version that has it. */
  const save = async (): Promise<VersionedPost> => {
    if (read === undefined) {
      const created = await createScheduledPost(organizationId, toNewPost(draft, scheduledFor), createKey.current)
      keepDraft(key, undefined)
      client.setQueryData(['post', organizationId, created.post.id], created)
      return created
    }
    if (!isDirty) return { post: read.post, etag }
    const patch = toPatch(start, draft, scheduledFor)
    const updated = await updateScheduledPost(organizationId, read.post.id, patch, etag)
    put(updated)
    return updated
  }
  const goTo = ({ post: { id } }: VersionedPost): void => {
    if (read === undefined) route(hrefOf(organizationId, 'posts', [id]), true)
  }
  const onSave = (): Promise<void> =>
    act(async () => {
      const before = post?.status
      const version = await save()
      announce(
        before === 'SCHEDULED' && version.post.status === 'WAITING_FOR_APPROVAL'
          ? words.savedAndUnapproved
          : words.saved,
      )
      goTo(version)
    })
  const onSubmitForApproval = (): Promise<void> =>
    act(async () => {
      const version = await save()
      try {
        const submitted = await submitScheduledPost(organizationId, version.post.id, version.etag)
        if (read === undefined) client.setQueryData(['post', organizationId, submitted.post.id], submitted)
        else put(submitted)
        announce(words.submitted)
      } finally {
        goTo(version)
      }
    })

  const nameOfChannel = (id: string): string =>
    channels.data?.find((channel) => channel.id === id)?.name ?? post?.mediumsData[id]?.mediumName ?? id
  const uploads = useUploads()
  const uploadProblems = problemsOfUpload(
    uploads.items,
    draft.media,
    Object.keys(draft.channels).map((id) => ({ name: nameOfChannel(id), type: typeOf(id, channels.data, post) })),
  )
  const missing = listMissing(draft, scheduledFor, nowMs)
  const excess = Object.entries(draft.channels).some(([id, { caption }]) =>
    countCaption(typeOf(id, channels.data, post), caption).some(({ count, max }) => count > max),
  )
  const cannotSave = busy || !isDirty || timeProblem !== undefined || (isNewer && isDirty)

  return (
    <div class="editor">
      <form
        class="editor-form form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!cannotSave) void onSave()
        }}
      >
        {restored && (
          <div class="notice">
            <div>
              <p>{words.restored}</p>
              <button
                type="button"
                class="button small"
                onClick={() => {
                  if (latest !== undefined) fill(latest)
                  else setDraft(base)
                  setRestored(false)
                }}
              >
                {words.discard}
              </button>
            </div>
          </div>
        )}
        {isNewer && isDirty && (
          <div class="notice notice-warn" role="alert">
            <div>
              <p>
                {words.conflict(
                  nameOfLast(history.data),
                  common.list(changedFields(laterThan(history.data, etag), nameOfChannel)),
                )}
              </p>
              <div class="actions">
                <button type="button" class="button small" onClick={() => setEtag(latest.etag)}>
                  {words.keepMine}
                </button>
                <button type="button" class="button small" onClick={() => fill(latest)}>
                  {words.takeTheirs}
                </button>
              </div>
            </div>
          </div>
        )}
        {error !== undefined && !(isNewer && error instanceof ApiError && error.status === 412) && (
          <Problem error={error} />
        )}
        {post !== undefined && <StateNotice post={post} changes={history.data} channelName={nameOfChannel} />}
        {post?.status === 'FAILED' && may('posts:approve') && read !== undefined && (
          <Retry
            onRetry={(instant) =>
              act(async () =>
                put(await retryScheduledPost(organizationId, read.post.id, etag, { scheduledFor: instant })),
              )
            }
            busy={busy}
          />
        )}

        {canEdit && (
          <fieldset class="form">
            <legend class="hidden">{words.title}</legend>
            <section class="card form">
              <h2>{words.channels}</h2>
              {channels.data === undefined ? (
                <Loading lines={2} />
              ) : (
                <ChannelChoice
                  choices={channels.data}
                  chosen={draft.channels}
                  post={post}
                  onToggle={(id, on) => changeChannel(id, on ? { caption: firstCaption(draft) } : null)}
                />
              )}
              {Object.entries(draft.channels).map(([id, channel]) => (
                <ChannelFields
                  key={id}
                  name={nameOfChannel(id)}
                  type={typeOf(id, channels.data, post)}
                  channel={channel}
                  present={read?.post.mediumsData[id]}
                  saved={saved.data ?? []}
                  others={Object.keys(draft.channels).length - 1}
                  problems={problemsIn(error, ['channels', id, 'superpower'])}
                  onChange={(changes) => changeChannel(id, changes)}
                  onCopy={() => {
                    for (const other of Object.keys(draft.channels)) changeChannel(other, { caption: channel.caption })
                    announce(words.copied)
                  }}
                />
              ))}
            </section>

            <MediaField
              media={draft.media}
              mediaType={draft.mediaType}
              urlProblem={mediaProblem(draft.media)}
              problems={uploadProblems}
              onChange={change}
            />

            <section class="card form">
              <h2>{words.when}</h2>
              <ScheduleField
                time={draft.time}
                occurrence={draft.occurrence}
                timeZone={timeZone}
                onChange={(time, occurrence) => change({ time, occurrence })}
              />
              <Field label={words.notes} hint={words.notesHint}>
                {(attributes) => (
                  <textarea
                    {...attributes}
                    class="short"
                    maxLength={10_000}
                    value={draft.notes}
                    onInput={(event) => change({ notes: event.currentTarget.value })}
                  />
                )}
              </Field>
            </section>
          </fieldset>
        )}

        {canEdit && (
          <div class="editor-actions">
            {missing.length > 0 && (post === undefined || post.status === 'DRAFT' || post.status === 'REJECTED') && (
              <p class="quiet small-text">{words.missing(common.list(missing))}</p>
            )}
            <div class="actions">
              <button type="submit" class="button" disabled={cannotSave}>
                {read === undefined ? words.saveDraft : common.save}
              </button>
              {(post === undefined || post.status === 'DRAFT' || post.status === 'REJECTED') && (
                <button
                  type="button"
                  class="button primary"
                  disabled={
                    busy ||
                    missing.length > 0 ||
                    excess ||
                    uploadProblems.length > 0 ||
                    timeProblem !== undefined ||
                    (isNewer && isDirty)
                  }
                  onClick={() => void onSubmitForApproval()}
                >
                  {words.submit}
                </button>
              )}
              {post?.status === 'WAITING_FOR_APPROVAL' && may('posts:approve') && (
                <a class="button plain" href={hrefOf(organizationId, 'approvals', [], { post: post.id })}>
                  {words.decide}
                </a>
              )}
              {post?.status === 'SCHEDULED' && (
                <button type="button" class="button" disabled={busy} onClick={() => setAsks('revert')}>
                  {words.revert}
                </button>
              )}
              {post !== undefined && (
                <button type="button" class="button plain bad-text" disabled={busy} onClick={() => setAsks('delete')}>
                  {words.delete}
                </button>
              )}
            </div>
          </div>
        )}
        {!canEdit && post?.status === 'FAILED' && may('posts:write') && (
          <div class="actions">
            <button type="button" class="button plain bad-text" disabled={busy} onClick={() => setAsks('delete')}>
              {words.delete}
            </button>
          </div>
        )}
      </form>

      <aside class="editor-side" aria-label={words.preview}>
        <h2>{words.preview}</h2>
        {scheduledFor !== undefined && (
          <p class="quiet">
            {formatInstant(scheduledFor, timeZone)} · {zoneName(timeZone)}
          </p>
        )}
        {Object.keys(draft.channels).length === 0 && <Empty title={words.noChannel} />}
        {Object.entries(draft.channels).map(([id, channel]) => (
          <ChannelPreview
            key={id}
            media={draft.media === '' ? undefined : draft.media}
            mediaType={draft.mediaType}
            timeZone={timeZone}
            channel={{
              caption: channel.caption,
              superpower: superpowerOf(channel, read?.post.mediumsData[id], saved.data ?? []),
              mediumName: nameOfChannel(id),
              mediumType: typeOf(id, channels.data, post),
              failedToPublish: false,
            }}
          />
        ))}
        {read !== undefined && post?.status === 'WAITING_FOR_APPROVAL' && <OutsideLinks postId={read.post.id} />}
        {read !== undefined && (
          <section class="card form">
            <h2>{approvalWords.history}</h2>
            {history.error && <Problem error={history.error} onRetry={history.refetch} />}
            {history.data && <History changes={history.data} timeZone={timeZone} channelName={nameOfChannel} />}
          </section>
        )}
      </aside>

      {asks !== undefined && read !== undefined && (
        <Dialog title={asks === 'delete' ? words.deleteTitle : words.revertTitle} onClose={() => setAsks(undefined)}>
          <p>{asks === 'delete' ? words.deleteText : words.revertText}</p>
          <div class="actions">
            <button
              type="button"
              class={`button ${asks === 'delete' ? 'bad' : 'primary'}`}
              disabled={busy}
              onClick={() => {
                setAsks(undefined)
                void act(async () => {
                  if (asks === 'revert') {
                    put(await revertScheduledPost(organizationId, read.post.id, etag))
                    announce(words.reverted)
                    return
                  }
                  await deleteScheduledPost(organizationId, read.post.id, etag)
                  keepDraft(key, undefined)
                  announce(words.deleted)
                  route(hrefOf(organizationId, 'calendar'))
                })
              }}
            >
              {asks === 'delete' ? words.delete : words.revert}
            </button>
            <button type="button" class="button" onClick={() => setAsks(undefined)}>
              {common.cancel}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  )
}

type Channels = NonNullable<ReturnType<typeof useChannels>['data']>
type Saved = NonNullable<ReturnType<typeof useSuperpowers>['data']>
type Changes = NonNullable<ReturnType<typeof useHistory>['data']>

const firstCaption = ({ channels }: Draft): string => Object.values(channels)[0]?.caption ?? ''

const typeOf = (id: string, channels: Channels | undefined, post: ScheduledPost | undefined): string =>
  channels?.find((channel) => channel.id === id)?.type ?? post?.mediumsData[id]?.mediumType ?? ''

const laterThan = (changes: Changes | undefined, etag: string): Changes => {
  const version = Number(/^"(\d+)/.exec(etag)?.[1])
  return (changes ?? []).filter((change) => change.version > version)
}

const nameOfLast = (changes: Changes | undefined): string => {
  const last = changes?.at(-1)
  return last === undefined ? '' : actorName(last)
}

const mediaProblem = (url: string): string | undefined =>
  url === '' || (/^https?:\/\//i.test(url) && URL.canParse(url)) ? undefined : words.mediaNoUrl

/** What the post still lacks before it can be approved: the service's publish check, said while one writes. */
function listMissing(draft: Draft, scheduledFor: string | undefined, nowMs: number): string[] {
  const channels = Object.values(draft.channels)
  return [
    ...(channels.length === 0 ? [words.missingChannel] : []),
    ...(channels.some(({ caption }) => caption.trim() === '') ? [words.missingText] : []),
    ...(draft.media === '' || mediaProblem(draft.media) !== undefined ? [words.missingMedia] : []),
    ...(scheduledFor !== undefined && Date.parse(scheduledFor) > nowMs ? [] : [words.missingTime]),
  ]
}

function superpowerOf({ superpower }: ChannelDraft, present: ScheduledPostChannel | undefined, saved: Saved) {
  if (superpower === 'kept') return present?.superpower
  if (superpower === 'none') return undefined
  const savedId = savedIdOf(superpower)
  return savedId === undefined ? superpower : saved.find((one) => one.creativeTemplateId === savedId)?.superpower
}

function ChannelChoice({
  choices,
  chosen,
  post,
  onToggle,
}: {
  choices: Channels
  chosen: Draft['channels']
  post: ScheduledPost | undefined
  onToggle: (id: string, on: boolean) => void
}) {
  // One that was deleted is no choice any more, but the post may still have it.
  const gone = Object.entries(post?.mediumsData ?? {}).filter(([id]) => !choices.some((choice) => choice.id === id))
  const rows = [
    ...choices.map(({ id, name, type, status }) => ({ id, name, type, isConnected: status === 'connected' })),
    ...gone.map(([id, { mediumName, mediumType }]) => ({ id, name: mediumName, type: mediumType, isConnected: false })),
  ]
  if (rows.length === 0) return <Empty title={words.noChannels} />
  return (
    <div class="channel-choice">
      {rows.map(({ id, name, type, isConnected }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={id in chosen}
            onChange={(event) => onToggle(id, event.currentTarget.checked)}
          />
          <span>
            <span dir="auto">{name}</span>
            <span class="quiet small-text">
              {common.channelType(type)}
              {!isConnected && ` · ${words.notConnected}`}
            </span>
          </span>
        </label>
      ))}
    </div>
  )
}

function ChannelFields({
  name,
  type,
  channel,
  present,
  saved,
  others,
  problems,
  onChange,
  onCopy,
}: {
  name: string
  type: string
  channel: ChannelDraft
  present: ScheduledPostChannel | undefined
  saved: Saved
  others: number
  /** What the service refused of the superpower. */
  problems: readonly PlacedProblem[]
  onChange: (changes: Partial<ChannelDraft>) => void
  onCopy: () => void
}) {
  const counts = countCaption(type, channel.caption)
  const over = counts.filter(({ count, max }) => count > max)
  const { superpower } = channel
  const savedId = typeof superpower === 'object' ? savedIdOf(superpower) : undefined
  const choice = typeof superpower === 'object' ? (savedId ?? 'own') : superpower
  const hasPresent = present?.superpower != null
  const [isEditing, setIsEditing] = useState(false)
  const used = superpowerOf(channel, present, saved)
  const usedSaved = saved.find(({ creativeTemplateId }) => creativeTemplateId === savedId)
  return (
    <div class="channel-fields form">
      <Field
        label={words.caption(name)}
        problem={over.length === 0 ? undefined : words.tooMuch(over.map(({ what, max }) => words.most(what, max)))}
        hint={
          <span class="caption-help">
            <span>
              {counts.map(({ what, count, max }) => (
                <span key={what} class={count > max ? 'problem' : ''}>
                  {words.count(what, count, max)}{' '}
                </span>
              ))}
            </span>
            {others > 0 && (
              <button type="button" class="button plain small" onClick={onCopy}>
                {words.copy}
              </button>
            )}
          </span>
        }
      >
        {(attributes) => (
          <textarea
            {...attributes}
            dir="auto"
            value={channel.caption}
            onInput={(event) => onChange({ caption: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field
        label={words.superpower(name)}
        problem={
          problems.length === 0
            ? undefined
            : problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ')
        }
      >
        {(attributes) => (
          <span class="superpower-choice">
            <select
              {...attributes}
              value={choice === 'kept' && !hasPresent ? 'none' : choice}
              onChange={(event) => {
                const { value } = event.currentTarget
                if (value === 'own') return
                onChange({ superpower: value === 'kept' || value === 'none' ? value : { creativeTemplateId: value } })
              }}
            >
              <option value="none">{words.superpowerNone}</option>
              {hasPresent && <option value="kept">{words.superpowerKept(present.superpower?.name ?? '')}</option>}
              {choice === 'own' && <option value="own">{words.superpowerOwn(used?.name ?? '')}</option>}
              {saved
                .filter(({ active, creativeTemplateId }) => active || creativeTemplateId === savedId)
                .map((one) => (
                  <option key={one.creativeTemplateId} value={one.creativeTemplateId}>
                    {one.name}
                  </option>
                ))}
            </select>
            <button type="button" class="button" onClick={() => setIsEditing(true)}>
              {used === undefined ? words.superpowerNew : words.superpowerEdit}
              <span class="hidden"> {words.superpower(name)}</span>
            </button>
          </span>
        )}
      </Field>
      {isEditing && (
        <SuperpowerDialog
          start={
            usedSaved === undefined ? (used ?? { active: true }) : { ...usedSaved.superpower, name: usedSaved.name }
          }
          saved={usedSaved}
          problems={problems}
          onUse={(own) => {
            onChange({ superpower: own })
            setIsEditing(false)
          }}
          onSaved={({ creativeTemplateId }) => {
            onChange({ superpower: { creativeTemplateId } })
            setIsEditing(false)
          }}
          onDeleted={() => {
            onChange({ superpower: hasPresent ? 'kept' : 'none' })
            setIsEditing(false)
          }}
          onClose={() => setIsEditing(false)}
        />
      )}
    </div>
  )
}

/** What has become of the post, and what can be done about it. */
function StateNotice({
  post,
  changes,
  channelName,
}: {
  post: ScheduledPost
  changes: Changes | undefined
  channelName: (id: string) => string
}) {
  const { timeZone } = useOrganization()
  const last = changes?.findLast(({ action }) => action === 'rejected' || action === 'approved')
  switch (post.status) {
    case 'REJECTED':
      return (
        <div class="notice notice-warn">
          <Icon name="REJECTED" />
          <div>
            <p>
              <strong>
                {last === undefined
                  ? common.status.REJECTED
                  : approvalWords.since('rejected', actorName(last), formatInstant(last.at, timeZone, 'short'))}
              </strong>
            </p>
            {typeof last?.detail?.notes === 'string' && <p class="quote">{last.detail.notes}</p>}
          </div>
        </div>
      )
    case 'SCHEDULED':
      return (
        <div class="notice">
          <Icon name="SCHEDULED" />
          <p>{words.scheduledNote}</p>
        </div>
      )
    case 'PUBLISHING':
      return (
        <div class="notice">
          <Icon name="PUBLISHING" />
          <p>{words.publishingNote}</p>
        </div>
      )
    case 'PUBLISHED':
    case 'FAILED': {
      const links = linksOf(changes ?? [])
      const failures = post.status === 'FAILED' ? failuresOf(changes ?? []) : []
      return (
        <div class={`notice ${post.status === 'FAILED' ? 'notice-bad' : 'notice-good'}`}>
          <Icon name={post.status} />
          <div>
            <p>
              <strong>{post.status === 'FAILED' ? words.failedNote : words.publishedNote}</strong>
            </p>
            {failures.map(({ channelId, error }) => (
              <p key={channelId}>{channelId === '' ? error : `${channelName(channelId)}: ${error}`}</p>
            ))}
            {links.map(({ channelId, url }) => (
              <a key={channelId} href={url} target="_blank" rel="noreferrer noopener">
                {words.seeIt(channelName(channelId))}
              </a>
            ))}
          </div>
        </div>
      )
    }
    default:
      return null
  }
}

function Retry({ onRetry, busy }: { onRetry: (instant: string) => Promise<void>; busy: boolean }) {
  const { timeZone } = useOrganization()
  const [time, setTime] = useState('')
  const [occurrence, setOccurrence] = useState<'earlier' | 'later' | ''>('')
  const instant = instantOf(time, occurrence, timeZone)
  const isGood = instant !== undefined && Date.parse(instant) > now()
  return (
    <section class="card form">
      <h2>{words.retryTitle}</h2>
      <ScheduleField
        time={time}
        occurrence={occurrence}
        timeZone={timeZone}
        label={words.retryTime}
        onChange={(next, which) => {
          setTime(next)
          setOccurrence(which)
        }}
      />
      <div class="actions">
        <button type="button" class="button primary" disabled={busy || !isGood} onClick={() => void onRetry(instant!)}>
          {words.retry}
        </button>
      </div>
    </section>
  )
}
