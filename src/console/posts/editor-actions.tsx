import { useState } from 'preact/hooks'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { Button, Dialog } from '../ui.tsx'
import { common } from '../words.ts'
import { hasExcess, isSubmittable, listMissing } from './editor-rules.ts'
import type { PostEditor } from './use-editor.ts'
import { postWords } from './words.ts'

const words = postWords.editor

/** The questions before an action of the editor. */
const QUESTIONS = {
  remove: { kind: 'bad', title: words.deleteTitle, text: words.deleteText, submit: words.delete },
  revert: { kind: 'primary', title: words.revertTitle, text: words.revertText, submit: words.revert },
}

/** The buttons below the form of a post, and the questions that two of them ask. */
export function EditorActions({ editor }: { editor: PostEditor }) {
  const { id: organizationId, may } = useOrganization()
  const [asks, setAsks] = useState<keyof typeof QUESTIONS>()
  const { post, draft, busy, channels, uploadProblems } = editor
  const missing = listMissing(draft, editor.scheduledFor, editor.nowMs)
  const canSubmit =
    !busy && editor.isSound && [...missing, ...uploadProblems].length === 0 && !hasExcess(draft, channels.typeOf)
  const remove = (
    <Button kind="plain bad-text" disabled={busy} onClick={() => setAsks('remove')}>
      {words.delete}
    </Button>
  )
  return (
    <>
      {editor.canEdit && (
        <div class="editor-actions">
          {missing.length > 0 && isSubmittable(post?.status) && (
            <p class="quiet small-text">{words.missing(common.list(missing))}</p>
          )}
          <div class="actions">
            <Button type="submit" disabled={!editor.canSave}>
              {post === undefined ? words.saveDraft : common.save}
            </Button>
            {isSubmittable(post?.status) && (
              <Button kind="primary" disabled={!canSubmit} onClick={() => void editor.submit()}>
                {words.submit}
              </Button>
            )}
            {post?.status === 'WAITING_FOR_APPROVAL' && may('posts:approve') && (
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
        </div>
      )}
      {!editor.canEdit && post?.status === 'FAILED' && may('posts:write') && <div class="actions">{remove}</div>}
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
