import { useState } from 'preact/hooks'
import type { Channel, ScheduledPost } from '../../interface/generated/types.ts'
import { Loaded } from '../list.tsx'
import { hrefOf } from '../navigation.ts'
import { useOrganization } from '../organization.ts'
import { announce, Button, Dialog, Field } from '../ui.tsx'
import { common, textOf, copies as words } from '../words.ts'
import { useChannels } from './queries.ts'
import type { PostEditor } from './use-editor.ts'

/** Actions that start a new draft as a copy of this post. */
export function PostCopies({ post }: { post: ScheduledPost }) {
  const { id: organizationId, mayAnywhere } = useOrganization()
  const [isOpen, setOpen] = useState(false)
  if (!mayAnywhere('posts:write')) return null
  const texts = Object.entries(post.mediumsData).map(([id, { mediumName }]) => ({ id, name: mediumName }))
  return (
    <>
      <a class="button small" href={hrefOf(organizationId, 'posts', ['new'], { copy: post.id })}>
        {words.duplicate}
      </a>
      {texts.length > 0 && (
        <Button kind="small" onClick={() => setOpen(true)}>
          {words.toChannel}
        </Button>
      )}
      {isOpen && <CopyDialog postId={post.id} texts={texts} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Copies one channel's text to another channel of this post, or into a new draft. */
export function CopyToChannel({ editor, id }: { editor: PostEditor; id: string }) {
  const [isOpen, setOpen] = useState(false)
  const { channels, draft, post, changeChannel, addSources } = editor
  const add = (to: Channel): void => {
    changeChannel(to.id, { caption: draft.channels[id]?.caption ?? '' })
    if (post !== undefined) addSources({ posts: [post.id] })
    announce(words.added({ channel: to.name }))
  }
  return (
    <>
      <Button kind="plain small" of={channels.nameOf(id)} onClick={() => setOpen(true)}>
        {words.toChannel}
      </Button>
      {isOpen && (
        <CopyDialog
          postId={post !== undefined && id in post.mediumsData ? post.id : undefined}
          texts={[{ id, name: channels.nameOf(id) }]}
          present={Object.keys(draft.channels)}
          onAdd={add}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

interface CopyDialogProps {
  /** The stored post. Undefined for a new one, which no other draft can copy yet. */
  postId: string | undefined
  /** The channels whose text can be copied. */
  texts: readonly { id: string; name: string }[]
  /** The channels that the form already has. */
  present?: readonly string[]
  onAdd?: (channel: Channel) => void
  onClose: () => void
}

function CopyDialog({ postId, texts, present = [], onAdd, onClose }: CopyDialogProps) {
  const { id: organizationId, may } = useOrganization()
  const [from, setFrom] = useState(texts[0]!.id)
  const [chosen, setChosen] = useState<string>()
  return (
    <Dialog title={words.title} onClose={onClose}>
      <Loaded read={useChannels()} lines={2}>
        {(channels) => {
          const others = channels.filter(
            ({ id }) => id !== from && may('posts:write', [id]) && (postId !== undefined || !present.includes(id)),
          )
          const to = others.find(({ id }) => id === chosen) ?? others[0]
          return (
            <div class="form">
              {texts.length > 1 && (
                <Field label={words.from}>
                  {(attributes) => (
                    <select {...attributes} value={from} onChange={(event) => setFrom(event.currentTarget.value)}>
                      {texts.map(({ id, name }) => (
                        <option key={id} value={id}>
                          {name}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
              )}
              {to === undefined ? (
                <p>{words.noOther}</p>
              ) : (
                <Field label={words.to} hint={postId !== undefined && words.newDraftHint}>
                  {(attributes) => (
                    <select {...attributes} value={to.id} onChange={(event) => setChosen(event.currentTarget.value)}>
                      {others.map(({ id, name, type }) => (
                        <option key={id} value={id}>
                          {name} · {textOf(common.channelTypes, type)}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
              )}
              <div class="actions">
                {to !== undefined && onAdd !== undefined && !present.includes(to.id) && (
                  <Button
                    kind="primary"
                    onClick={() => {
                      onAdd(to)
                      onClose()
                    }}
                  >
                    {words.add}
                  </Button>
                )}
                {to !== undefined && postId !== undefined && (
                  <a class="button" href={hrefOf(organizationId, 'posts', ['new'], { copy: postId, from, to: to.id })}>
                    {words.newDraft}
                  </a>
                )}
                <Button onClick={onClose}>{common.cancel}</Button>
              </div>
            </div>
          )
        }}
      </Loaded>
    </Dialog>
  )
}
