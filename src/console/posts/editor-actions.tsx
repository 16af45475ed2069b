import { useState } from 'preact/hooks'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../session.tsx'
import { Button, Dialog } from '../ui.tsx'
import { common } from '../words.ts'
import { hasExcess, isSubmittable, listMissing } from './editor-rules.ts'
import type { PostEditor } from './use-editor.ts'
import { postWords } from './words.ts'

const words = postWords.editor

/** The buttons below the form of a post, and the questions that two of them ask. */
export function EditorActions({ editor }: { editor: PostEditor }) {
  const { id: organizationId, may } = useOrganization()
  const [asks, setAsks] = useState<'delete' | 'revert'>()
  const { post, draft, busy, channels, uploadProblems } = editor
  const missing = listMissing(draft, editor.scheduledFor, editor.nowMs)
  const canSubmit =
    !busy && editor.isSound && [...missing, ...uploadProblems].length === 0 && !hasExcess(draft, channels.typeOf)
  const remove = (
    <Button kind="plain bad-text" disabled={busy} onClick={() => setAsks('delete')}>
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
      {asks !== undefined && <Question asks={asks} editor={editor} onClose={() => setAsks(undefined)} />}
    </>
  )
}

const QUESTIONS = {
  delete: { kind: 'bad', title: words.deleteTitle, text: words.deleteText, submit: words.delete },
  revert: { kind: 'primary', title: words.revertTitle, text: words.revertText, submit: words.revert },
}

interface QuestionProps {
  asks: keyof typeof QUESTIONS
  editor: PostEditor
  onClose: () => void
}

function Question({ asks, editor, onClose }: QuestionProps) {
  const { kind, title, text, submit } = QUESTIONS[asks]
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="actions">
        <Button
          kind={kind}
          disabled={editor.busy}
          onClick={() => {
            onClose()
            void (asks === 'revert' ? editor.revert() : editor.remove())
          }}
        >
          {submit}
        </Button>
        <Button onClick={onClose}>{common.cancel}</Button>
      </div>
    </Dialog>
  )
}
