import { useRef, useState } from 'preact/hooks'
import { countCaption } from '../../interface/caption-limits.ts'
import type { Channel } from '../../interface/generated/types.ts'
import { CheckField, TextArea } from '../fields.tsx'
import { problemsIn, toSentence } from '../form.ts'
import { Loaded } from '../list.tsx'
import { useMe, useOrganization } from '../organization.ts'
import { type KeptText, keptUnder, preferences } from '../store.ts'
import { announce, Button, Empty, Field, Problem } from '../ui.tsx'
import { list } from '../wording.ts'
import { common, posts as postWords, textOf } from '../words.ts'
import { CopyToChannel } from './copies.tsx'
import { type ChannelDraft, draftKey, savedIdOf } from './draft.ts'
import { superpowerOf } from './editor-rules.ts'
import { SuperpowerDialog } from './superpower-dialog.tsx'
import { toChannelType } from './try-out.tsx'
import type { PostEditor } from './use-editor.ts'
import { WritingTools } from './writing-tools.tsx'

const words = postWords.editor

/** The channels to choose from, plus deleted channels that the post still has. */
export const ChannelChoice = ({ editor }: { editor: PostEditor }) => (
  <Loaded read={editor.channels.read} lines={2}>
    {(choices) => <Choices editor={editor} choices={choices} />}
  </Loaded>
)

function Choices({ editor, choices }: { editor: PostEditor; choices: readonly Channel[] }) {
  const { draft, post, changeChannel } = editor
  const { may } = useOrganization()
  const gone = Object.entries(post?.mediumsData ?? {}).filter(([id]) => !choices.some((choice) => choice.id === id))
  const caption = Object.values(draft.channels)[0]?.caption ?? ''
  const rows = [
    ...choices.map(({ id, name, type, status }) => ({ id, name, type, isConnected: status === 'connected' })),
    ...gone.map(([id, { mediumName, mediumType }]) => ({ id, name: mediumName, type: mediumType, isConnected: false })),
  ].filter(({ id }) => id in draft.channels || may('posts:write', [id]))
  if (rows.length === 0) return <Empty title={words.noChannels} />
  return (
    <div class="channel-choice">
      {rows.map(({ id, name, type, isConnected }) => (
        <CheckField
          key={id}
          checked={id in draft.channels}
          onCheck={(checked) => changeChannel(id, checked ? { caption } : null)}
        >
          <span>
            <span dir="auto">{name}</span>
            <span class="quiet small-text">
              {textOf(common.channelTypes, type)}
              {!isConnected && ` · ${words.notConnected}`}
            </span>
          </span>
        </CheckField>
      ))}
    </div>
  )
}

interface ChannelFieldsProps {
  editor: PostEditor
  id: string
  channel: ChannelDraft
}

/** The text and superpower of a post on one channel. */
export function ChannelFields({ editor, id, channel }: ChannelFieldsProps) {
  const { channels, draft, post, changeChannel, addSources } = editor
  const others = Object.keys(draft.channels).filter((other) => other !== id)
  const copy = (): void => {
    for (const other of others) changeChannel(other, { caption: channel.caption })
    if (post !== undefined) addSources({ posts: [post.id] })
    announce(words.copied)
  }
  const area = useRef<HTMLTextAreaElement>(null)
  const counts = countCaption(channels.typeOf(id), channel.caption)
  const over = counts.filter(({ count, max }) => count > max)
  return (
    <div class="channel-fields form">
      <TextArea
        area={area}
        label={words.caption({ channel: channels.nameOf(id) })}
        problem={
          over.length === 0
            ? undefined
            : words.tooMuch({ limits: list(over.map(({ what, max }) => words.most({ what: words.units[what], max }))) })
        }
        hint={
          <span class="caption-help">
            <span>
              {counts.map(({ what, count, max }) => (
                <span key={what} class={count > max ? 'problem' : ''}>
                  {words.count({ what: words.units[what], many: count, max })}{' '}
                </span>
              ))}
            </span>
            <span class="actions">
              {others.length > 0 && (
                <Button kind="plain small" onClick={copy}>
                  {words.copy}
                </Button>
              )}
              <CopyToChannel editor={editor} id={id} />
            </span>
          </span>
        }
        dir="auto"
        value={channel.caption}
        onInput={(event) => changeChannel(id, { caption: event.currentTarget.value })}
      />
      <WritingTools
        area={area}
        of={channels.nameOf(id)}
        onSavedText={(savedText) => addSources({ savedTexts: [savedText] })}
      />
      <SuperpowerField editor={editor} id={id} channel={channel} />
    </div>
  )
}

/** Keeps this person's unsaved changes to the channel's superpower. */
function useSuperpowerDraft({ read }: PostEditor, channelId: string): KeptText {
  const { id: organizationId } = useOrganization()
  const { person } = useMe()
  return keptUnder(
    preferences,
    `${draftKey(person.id, organizationId, read?.post.id ?? 'new')}.superpower.${channelId}`,
  )
}

function SuperpowerField({ editor, id, channel }: ChannelFieldsProps) {
  const draft = useSuperpowerDraft(editor, id)
  const { read, saved, channels } = editor
  const [isEditing, setIsEditing] = useState(false)
  const { superpower } = channel
  const label = words.superpower({ channel: channels.nameOf(id) })
  const problems = problemsIn(editor.error, ['channels', id, 'superpower'])
  const present = read?.post.mediumsData[id]
  const savedId = typeof superpower === 'object' ? savedIdOf(superpower) : undefined
  const choice = typeof superpower === 'object' ? (savedId ?? 'own') : superpower
  const hasPresent = present?.superpower != null
  const used = superpowerOf(channel, present, saved)
  const usedSaved = saved.find(({ creativeTemplateId }) => creativeTemplateId === savedId)
  const change = (value: ChannelDraft['superpower']): void => editor.changeChannel(id, { superpower: value })
  const endEditing = (): void => {
    draft.set(undefined)
    setIsEditing(false)
  }
  const choose = (value: ChannelDraft['superpower']): void => {
    change(value)
    endEditing()
  }
  return (
    <>
      <Field label={label} problem={toSentence(problems)}>
        {(attributes) => (
          <span class="superpower-choice">
            <select
              {...attributes}
              value={choice === 'kept' && !hasPresent ? 'none' : choice}
              onChange={({ currentTarget: { value } }) => {
                if (value === 'own') return
                change(value === 'kept' || value === 'none' ? value : { creativeTemplateId: value })
              }}
            >
              <option value="none">{words.superpowerNone}</option>
              {hasPresent && (
                <option value="kept">{words.superpowerKept({ name: present.superpower?.name || undefined })}</option>
              )}
              {choice === 'own' && (
                <option value="own">{words.superpowerOwn({ name: used?.name || undefined })}</option>
              )}
              <SavedOptions saved={saved} chosenId={savedId} />
            </select>
            <Button of={label} onClick={() => setIsEditing(true)}>
              {used === undefined ? words.superpowerNew : words.superpowerEdit}
            </Button>
          </span>
        )}
      </Field>
      {editor.savedRead.data === undefined && (
        <Problem error={editor.savedRead.error} onRetry={editor.savedRead.refetch} />
      )}
      {isEditing && (
        <SuperpowerDialog
          start={usedSaved ? { ...usedSaved.superpower, name: usedSaved.name } : (used ?? { active: true })}
          saved={usedSaved}
          draft={draft}
          channelType={toChannelType(channels.typeOf(id))}
          problems={problems}
          onUse={choose}
          onDeleted={() => choose(hasPresent ? 'kept' : 'none')}
          onClose={endEditing}
        />
      )}
    </>
  )
}

type SavedOptionsProps = Pick<PostEditor, 'saved'> & { chosenId: string | undefined }

/** The active saved superpowers, and the current one. */
function SavedOptions({ saved, chosenId }: SavedOptionsProps) {
  const shown = saved.filter(({ active, creativeTemplateId }) => active || creativeTemplateId === chosenId)
  return shown.map(({ creativeTemplateId, name }) => (
    <option key={creativeTemplateId} value={creativeTemplateId}>
      {name}
    </option>
  ))
}
