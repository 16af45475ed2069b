import { useQueryClient } from '@tanstack/preact-query'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { CopiedFrom, ScheduledPost } from '../../interface/generated/types.ts'
import { isEditable } from '../../interface/post-status.ts'
import {
  createScheduledPost,
  deleteScheduledPost,
  retryScheduledPost,
  revertScheduledPost,
  submitScheduledPost,
  updateScheduledPost,
  type VersionedPost,
} from '../api.ts'
import { newKey } from '../clock.ts'
import { hrefOf } from '../navigation.ts'
import { useMe, useOrganization } from '../organization.ts'
import { announce } from '../ui.tsx'
import { type Act, isConflict, useAct } from '../use-act.ts'
import { useLeaveGuard } from '../use-leave-guard.ts'
import { useNow } from '../use-now.ts'
import { posts as postWords } from '../words.ts'
import {
  beginDraft,
  type ChannelDraft,
  type Draft,
  draftKey,
  findDraft,
  isSame,
  keepDraft,
  newDraftId,
  toCopy,
  toDraft,
  toNewPost,
  toPatch,
  withSources,
} from './draft.ts'
import { isRepairable, listMissing, mustBeWhole, problemsOfUpload } from './editor-rules.ts'
import { channelsOf, refreshPosts } from './post-text.ts'
import { useChannelFacts, useHistory, useSuperpowers, useUploads } from './queries.ts'
import { readTime } from './schedule-field.tsx'

const words = postWords.editor

export interface EditedPost {
  /** The newest known version; undefined for a new post. */
  latest: VersionedPost | undefined
  /** A new post's initial time. */
  time?: string | undefined
  /** A new post's initial channel. */
  channelId?: string | undefined
  /** The address to go to after saving, instead of the post's own. */
  back?: string | undefined
  /** The post that a new one copies. */
  copyOf?: ScheduledPost
  /** The id of that post. */
  copiedFrom?: string
}

/**
 * The form of a post and the version that it started from. Until something is typed it follows others' changes; typed input
 * stays until the person loads the newer version, and survives a reload.
 */
function useForm({ latest, time = '', channelId, copyOf, copiedFrom = '' }: EditedPost, busy: boolean) {
  const { id: organizationId, timeZone } = useOrganization()
  const { person } = useMe()
  const nowMs = useNow()
  /** The version that filled the form; undefined for a new post. */
  const [read, setRead] = useState(latest)
  const [base] = useState(() => (read === undefined ? beginDraft(time, channelId) : toDraft(read.post, timeZone)))
  const [first] = useState(() => (copyOf === undefined ? base : toCopy(copyOf, copiedFrom)))
  const keyOf = (postId: string): string => draftKey(person.id, organizationId, postId)
  const key = keyOf(read?.post.id ?? (copyOf === undefined ? newDraftId(time) : `copy.${copyOf.id}`))
  const kept = useMemo(() => findDraft(key, timeZone), [key])
  const [draft, setDraft] = useState<Draft>(kept?.draft ?? first)
  const [start, setStart] = useState<Draft>(kept?.base ?? base)
  // Every version that the form has had, its own last. The page learns of the form's own save slightly later, and a read
  // that began before the save may end after it; such a `latest` is not someone else's change.
  const [etags, setEtags] = useState<readonly string[]>([kept?.etag ?? read?.etag ?? ''])
  const etag = etags.at(-1)!
  const [isRestored, setRestored] = useState(kept !== undefined)
  const { instant, problem } = readTime(draft, timeZone, nowMs)
  const isDirty = !isSame(draft, start)
  const isNewer = latest !== undefined && etag !== '' && !etags.includes(latest.etag)
  const canEdit = useMayEdit(latest)

  const begin = (newEtag: string): void => setEtags((before) => [...before, newEtag])
  const fill = (version: VersionedPost): void => {
    const fresh = toDraft(version.post, timeZone)
    setDraft(fresh)
    setStart(fresh)
    begin(version.etag)
    setRestored(false)
    keepDraft(keyOf(version.post.id), undefined)
    setRead(version)
  }
  // Follow others' changes while nothing is typed. After paint, this could overwrite a key press.
  useLayoutEffect(() => {
    if (isNewer && !isDirty && !busy) fill(latest)
  }, [latest?.etag, isDirty, busy])
  useLeaveGuard(isDirty && canEdit)
  // Runs before the next key press, so that a reload loses none.
  useLayoutEffect(() => {
    if (canEdit) keepDraft(key, isDirty ? { etag, base: start, draft, timeZone } : undefined)
  }, [draft, start, etag])

  return {
    read,
    draft,
    start,
    etag,
    isDirty,
    isNewer,
    isRestored,
    canEdit,
    nowMs,
    scheduledFor: instant,
    timeProblem: problem,
    change: (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes })),
    /** Null removes the channel. */
    changeChannel: (id: string, changes: Partial<ChannelDraft> | null): void =>
      setDraft((before) => ({ ...before, channels: withChannel(before.channels, id, changes) })),
    addSources: (more: CopiedFrom): void => setDraft((before) => withSources(before, more)),
    fill,
    keepMine: (): void => begin(latest?.etag ?? etag),
    discard: (): void => {
      if (latest !== undefined) fill(latest)
      else setDraft(first)
      setRestored(false)
    },
    forgetDraft: (): void => keepDraft(key, undefined),
  }
}

/** Returns whether the person may change this post or create one. */
function useMayEdit(version: VersionedPost | undefined): boolean {
  const { may, mayAnywhere } = useOrganization()
  if (version === undefined) return mayAnywhere('posts:write')
  const { post } = version
  return may('posts:write', channelsOf(post)) && (isEditable(post.status) || isRepairable(post))
}

function withChannel(
  channels: Draft['channels'],
  id: string,
  changes: Partial<ChannelDraft> | null,
): Draft['channels'] {
  const { [id]: present, ...others } = channels
  if (changes === null) return others
  return { ...channels, [id]: { caption: '', superpower: 'none', ...present, ...changes } }
}

/** Actions on a post; each applies to the version that the form started from. */
function usePostActions({ latest, back }: EditedPost, form: ReturnType<typeof useForm>, act: Act) {
  const { id: organizationId } = useOrganization()
  const { route } = useLocation()
  const client = useQueryClient()
  const createKey = useRef(newKey())
  const { read, draft, etag, isDirty, scheduledFor } = form

  const remember = (version: VersionedPost): void =>
    void client.setQueryData(['post', organizationId, version.post.id], version)
  const put = (version: VersionedPost): void => {
    remember(version)
    form.fill(version)
  }
  /** Saves the input; returns the new version. */
  const store = async (): Promise<VersionedPost> => {
    if (read === undefined) {
      const created = await createScheduledPost(organizationId, toNewPost(draft, scheduledFor), createKey.current)
      form.forgetDraft()
      remember(created)
      return created
    }
    if (!isDirty) return { post: read.post, etag }
    const patch = toPatch(form.start, draft, scheduledFor)
    const updated = await updateScheduledPost(organizationId, read.post.id, etag, patch)
    put(updated)
    return updated
  }
  /** Opens the stored post, or returns to where the new post was started once it is done. */
  const goTo = ({ post: { id } }: VersionedPost, isDone: boolean): void => {
    if (read === undefined) route((isDone && back) || hrefOf(organizationId, 'posts', [id]), true)
  }
  const onPost = (work: (postId: string) => Promise<void>, done?: string): Promise<boolean> =>
    act(async () => read !== undefined && work(read.post.id), done)

  return {
    save: () =>
      act(async () => {
        const before = latest?.post.status
        const version = await store()
        const waits = version.post.status === 'WAITING_FOR_APPROVAL'
        if (waits && before === 'SCHEDULED') announce(words.savedAndUnapproved)
        else announce(waits && before === 'FAILED' ? words.submitted : words.saved)
        goTo(version, true)
      }),
    submit: () =>
      act(async () => {
        const version = await store()
        let isDone = false
        try {
          const submitted = await submitScheduledPost(organizationId, version.post.id, version.etag)
          ;(read === undefined ? remember : put)(submitted)
          announce(words.submitted)
          isDone = true
        } finally {
          goTo(version, isDone)
        }
      }),
    revert: () => onPost(async (id) => put(await revertScheduledPost(organizationId, id, etag)), words.reverted),
    remove: () =>
      onPost(async (id) => {
        await deleteScheduledPost(organizationId, id, etag)
        form.forgetDraft()
        route(hrefOf(organizationId, 'calendar'))
      }, words.deleted),
    /** At this time, or immediately. */
    retry: async (scheduledFor?: string): Promise<void> => {
      if (read !== undefined) put(await retryScheduledPost(organizationId, read.post.id, etag, { scheduledFor }))
    },
  }
}

/** The form of a post and its actions. */
export function useEditor(edited: EditedPost) {
  const { latest } = edited
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const settling = {
    onConflict: () => client.invalidateQueries({ queryKey: ['post', organizationId, latest?.post.id] }),
    onSettled: () => void refreshPosts(client),
  }
  const { busy, error, act } = useAct(settling)
  const form = useForm(edited, busy)
  const { isDirty, isNewer, timeProblem } = form
  /** Something is typed, but based on an outdated version. */
  const hasConflict = isNewer && isDirty
  const isSound = timeProblem === undefined && !hasConflict
  const missing = listMissing(form.draft, form.scheduledFor, form.nowMs)
  /** Fields that the status requires and the post would lack. */
  const lacks = mustBeWhole(latest?.post.status) ? missing : []
  const channels = useChannelFacts(latest?.post)
  const savedRead = useSuperpowers()
  const chosen = Object.keys(form.draft.channels).map((id) => ({
    name: channels.nameOf(id),
    type: channels.typeOf(id),
  }))
  return {
    ...form,
    ...usePostActions(edited, form, act),
    latest,
    post: latest?.post,
    history: useHistory(latest?.post.id, latest?.etag),
    channels,
    saved: savedRead.data ?? [],
    savedRead,
    uploadProblems: problemsOfUpload(useUploads().items, form.draft.media, chosen),
    hasConflict,
    isSound,
    missing,
    lacks,
    canSave: isDirty && isSound && lacks.length === 0 && !busy,
    settling,
    busy,
    // The note about the newer version already explains the refusal.
    error: isNewer && isConflict(error) ? undefined : error,
  }
}

export type PostEditor = ReturnType<typeof useEditor>
