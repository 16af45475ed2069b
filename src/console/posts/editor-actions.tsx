import { useId, useState } from 'preact/hooks'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { Button, Dialog } from '../ui.tsx'
import { list } from '../wording.ts'
import { common, posts as postWords } from '../words.ts'
import { hasExcess, isSubmittable } from './editor-rules.ts'
import { channelsOf } from './post-text.ts'
import type { PostEditor } from './use-editor.ts'

const words = postWords.editor

/** Confirmations for the editor's actions. */
const QUESTIONS = {
  remove: { kind: 'bad', title: words.deleteTitle, text: words.deleteText, submit: words.delete },
  revert: { kind: 'primary', title: words.revertTitle, text: words.revertText, submit: words.revert },
}

/** Returns why the post cannot be saved or submitted, or undefined if it can. */
function whyDisabled({
  post,
  draft,
  isDirty,
  hasConflict,
  timeProblem,
  lacks,
  missing,
  channels,
  uploadProblems,
}: PostEditor) {
  if (hasConflict) return words.conflictFirst
  if (timeProblem !== undefined) return words.timeFirst
  if (lacks.length > 0) return words.lacks({ what: list(lacks), isApproved: post?.status === 'SCHEDULED' })
  if (isSubmittable(post?.status)) {
    if (missing.length > 0) return words.missing({ what: list(missing) })
    if (uploadProblems.length > 0) return words.mediaFirst
    if (hasExcess(draft, channels.typeOf)) return words.shortenFirst
  }
  return isDirty ? undefined : words.nothingToSave
}

/** The buttons below the post's form, with the confirmations of two of them. */
export function EditorActions({ editor }: { editor: PostEditor }) {
  const { id: organizationId, may } = useOrganization()
  const [asks, setAsks] = useState<keyof typeof QUESTIONS>()
  const whyId = useId()
  const ofPost = editor.post && channelsOf(editor.post)
  const { post, draft, busy, channels, uploadProblems, missing } = editor
  const canSubmit =
    !busy && editor.isSound && [...missing, ...uploadProblems].length === 0 && !hasExcess(draft, channels.typeOf)
  const why = whyDisabled(editor)
  const described = why === undefined ? {} : { 'aria-describedby': whyId }
  const remove = (
    <Button kind="plain bad-text" disabled={busy} onClick={() => setAsks('remove')}>
      {words.delete}
    </Button>
  )
  return (
    <>
      {editor.canEdit && (
        <div class="editor-actions">
          {why !== undefined && (
            <p id={whyId} class="quiet small-text">
              {why}
            </p>
          )}
          <div class="actions">
            <Button type="submit" disabled={!editor.canSave} {...described}>
              {post === undefined ? words.saveDraft : post.status === 'FAILED' ? words.saveAndAsk : common.save}
            </Button>
            {isSubmittable(post?.status) && (
              <Button kind="primary" disabled={!canSubmit} {...described} onClick={() => void editor.submit()}>
                {words.submit}
              </Button>
            )}
            {post?.status === 'WAITING_FOR_APPROVAL' && may('posts:approve', ofPost) && (
              <a class="button plain" href={hrefOf(organizationId, 'approvals', [], { post: post.id })}>
                {words.decide}
              </a>
            )}
            {post?.status === 'SCHEDULED' && (
              <Button disabled={busy} onClick={() => setAsks('revert')}>
                {words.revert}
              </Button>
            )}
            {post !== undefined && remove}
          </div>
          <Refusal error={editor.error} channelName={channels.nameOf} />
        </div>
      )}
      {!editor.canEdit && post?.status === 'FAILED' && may('posts:write', ofPost) && (
        <div class="actions">
          {remove}
          <Refusal error={editor.error} />
        </div>
      )}
      {asks !== undefined && (
        <Dialog title={QUESTIONS[asks].title} onClose={() => setAsks(undefined)}>
          <p>{QUESTIONS[asks].text}</p>
          <div class="actions">
            <Button
              kind={QUESTIONS[asks].kind}
              disabled={busy}
              onClick={() => {
                setAsks(undefined)
                void editor[asks]()
              }}
            >
              {QUESTIONS[asks].submit}
            </Button>
            <Button onClick={() => setAsks(undefined)}>{common.cancel}</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
