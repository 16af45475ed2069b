import { useState } from 'preact/hooks'
import { countCaption } from '../../interface/caption-limits.ts'
import type { Channel } from '../../interface/channels.ts'
import type { ScheduledPost, ScheduledPostChannel } from '../../interface/posts.ts'
import type { SavedSuperpower } from '../../interface/superpowers.ts'
import { toSentence } from '../form.ts'
import type { PlacedProblem } from '../placed-problem.ts'
import { Button, Empty, Field } from '../ui.tsx'
import { common } from '../words.ts'
import { type ChannelDraft, type Draft, savedIdOf } from './draft.ts'
import { superpowerOf } from './editor-rules.ts'
import { SuperpowerDialog } from './superpower-dialog.tsx'
import { postWords } from './words.ts'

const words = postWords.editor

interface ChannelChoiceProps {
  choices: readonly Channel[]
  chosen: Draft['channels']
  post: ScheduledPost | undefined
  onToggle: (id: string, on: boolean) => void
}

/** The channels to choose from, and those that the post has although they were deleted. */
export function ChannelChoice({ choices, chosen, post, onToggle }: ChannelChoiceProps) {
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

interface ChannelFieldsProps {
  name: string
  type: string
  channel: ChannelDraft
  present: ScheduledPostChannel | undefined
  saved: readonly SavedSuperpower[]
  /** The refusals of the superpower. */
  problems: readonly PlacedProblem[]
  onChange: (changes: Partial<ChannelDraft>) => void
  /** Undefined where there is no other channel. */
  onCopy: (() => void) | undefined
}

/** The text and the superpower of a post on one channel. */
export function ChannelFields(props: ChannelFieldsProps) {
  const { name, type, channel, onChange, onCopy } = props
  const counts = countCaption(type, channel.caption)
  const over = counts.filter(({ count, max }) => count > max)
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
            {onCopy && (
              <Button kind="plain small" onClick={onCopy}>
                {words.copy}
              </Button>
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
      <SuperpowerField {...props} />
    </div>
  )
}

function SuperpowerField({ name, channel, present, saved, problems, onChange }: ChannelFieldsProps) {
  const [isEditing, setIsEditing] = useState(false)
  const { superpower } = channel
  const savedId = typeof superpower === 'object' ? savedIdOf(superpower) : undefined
  const choice = typeof superpower === 'object' ? (savedId ?? 'own') : superpower
  const hasPresent = present?.superpower != null
  const used = superpowerOf(channel, present, saved)
  const usedSaved = saved.find(({ creativeTemplateId }) => creativeTemplateId === savedId)
  const choose = (value: ChannelDraft['superpower']): void => {
    onChange({ superpower: value })
    setIsEditing(false)
  }
  return (
    <>
      <Field label={words.superpower(name)} problem={toSentence(problems)}>
        {(attributes) => (
          <span class="superpower-choice">
            <select
              {...attributes}
              value={choice === 'kept' && !hasPresent ? 'none' : choice}
              onChange={({ currentTarget: { value } }) => {
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
            <Button of={words.superpower(name)} onClick={() => setIsEditing(true)}>
              {used === undefined ? words.superpowerNew : words.superpowerEdit}
            </Button>
          </span>
        )}
      </Field>
      {isEditing && (
        <SuperpowerDialog
          start={usedSaved ? { ...usedSaved.superpower, name: usedSaved.name } : (used ?? { active: true })}
          saved={usedSaved}
          problems={problems}
          onUse={choose}
          onSaved={({ creativeTemplateId }) => choose({ creativeTemplateId })}
          onDeleted={() => choose(hasPresent ? 'kept' : 'none')}
          onClose={() => setIsEditing(false)}
        />
      )}
    </>
  )
}
