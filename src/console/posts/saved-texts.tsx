import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { NewSavedText, SavedText } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { SelectField, TextArea, TextField } from '../fields.tsx'
import { Form, textIn } from '../forms.tsx'
import { Loaded, Rows } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { Refusal } from '../refusal.tsx'
import { announce, Button, Dialog, Empty, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { useRead } from '../use-read.ts'
import { common, posts as postWords, writing as words } from '../words.ts'
import type { TextTool } from './insert-text.ts'

const KINDS = ['TEXT', 'HASHTAGS'] as const
const TEXT_CHARS_MAX = 10_000

/** Inserts, creates, edits and deletes the organization's saved texts and hashtag groups. */
export default function SavedTexts({ present, onInsert, onClose }: TextTool) {
  const { id: organizationId } = useOrganization()
  const [edited, setEdited] = useState<SavedText | 'new'>()
  const read = useRead({
    queryKey: ['saved-texts', organizationId],
    queryFn: ({ signal }) => call('listSavedTexts', { organizationId }, { signal }),
  })
  return (
    <Dialog title={words.textsTitle} onClose={onClose}>
      {edited === undefined ? (
        <Loaded read={read} lines={4}>
          {(texts) => <Texts texts={texts} onInsert={onInsert} onEdit={setEdited} />}
        </Loaded>
      ) : (
        <TextForm text={edited === 'new' ? undefined : edited} present={present} onDone={() => setEdited(undefined)} />
      )}
    </Dialog>
  )
}

interface TextsProps {
  texts: readonly SavedText[]
  onInsert: TextTool['onInsert']
  onEdit: (text: SavedText | 'new') => void
}

function Texts({ texts, onInsert, onEdit }: TextsProps) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const [search, setSearch] = useState('')
  const [lastDeleted, setLastDeleted] = useState<SavedText>()
  const { busy, error, act } = useAct({
    onSettled: () => void client.invalidateQueries({ queryKey: ['saved-texts', organizationId] }),
  })
  const wanted = search.trim().toLowerCase()
  const found = texts.filter(({ name, text }) => `${name}\n${text}`.toLowerCase().includes(wanted))
  const remove = (text: SavedText): Promise<boolean> =>
    act(async () => {
      await call('deleteSavedText', { organizationId, savedTextId: text.id })
      setLastDeleted(text)
    })
  const restore = ({ kind, name, text }: SavedText): Promise<boolean> =>
    act(async () => {
      await call('createSavedText', { organizationId, body: { kind, name, text } })
      setLastDeleted(undefined)
    })
  return (
    <div class="form">
      {texts.length > 0 && (
        <TextField
          label={words.search}
          type="search"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {lastDeleted !== undefined && (
        <Note role="status">
          <p>{words.deleted({ name: lastDeleted.name })}</p>
          <Button kind="small" disabled={busy} onClick={() => void restore(lastDeleted)}>
            {common.undo}
          </Button>
        </Note>
      )}
      <Refusal error={error} />
      {texts.length === 0 && <Empty title={words.none}>{words.noneHint}</Empty>}
      {texts.length > 0 && found.length === 0 && <Empty title={words.noneFound} />}
      {KINDS.map((kind) => {
        const rows = found.filter((one) => one.kind === kind)
        return (
          rows.length > 0 && (
            <section key={kind}>
              <h3>{words.kinds[kind]}</h3>
              <Rows label={words.kinds[kind]} items={rows} keyOf={({ id }) => id}>
                {(one) => (
                  <div class="saved-text">
                    <div>
                      <strong dir="auto">{one.name}</strong>
                      <p class="quiet small-text saved-text-begin" dir="auto">
                        {one.text}
                      </p>
                    </div>
                    <div class="actions">
                      <Button kind="small primary" of={one.name} onClick={() => onInsert(one.text, one.id)}>
                        {words.insert}
                      </Button>
                      <Button kind="small" of={one.name} onClick={() => onEdit(one)}>
                        {words.change}
                      </Button>
                      <Button
                        kind="small plain bad-text"
                        of={one.name}
                        disabled={busy}
                        onClick={() => void remove(one)}
                      >
                        {postWords.editor.delete}
                      </Button>
                    </div>
                  </div>
                )}
              </Rows>
            </section>
          )
        )
      })}
      <div class="actions">
        <Button onClick={() => onEdit('new')}>{words.add}</Button>
      </div>
    </div>
  )
}

/** Creates a saved text from the text area's content, or edits one. */
function TextForm(props: { text: SavedText | undefined; present: string; onDone: () => void }) {
  const { text, present, onDone } = props
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const [value, setValue] = useState(text?.text ?? present)
  const { busy, error, act } = useAct()
  const suggestedKind = /^\s*#/.test(value) ? 'HASHTAGS' : 'TEXT'
  const count = [...value].length
  const send = (form: FormData): Promise<boolean> =>
    act(async () => {
      const name = textIn(form, 'name')
      if (text === undefined) {
        const kind = textIn(form, 'kind') as NewSavedText['kind']
        await call('createSavedText', { organizationId, body: { kind, name, text: value } })
      } else {
        await call('updateSavedText', { organizationId, savedTextId: text.id, body: { name, text: value } })
      }
      await client.invalidateQueries({ queryKey: ['saved-texts', organizationId] })
      announce(words.saved({ name }))
      onDone()
    })
  return (
    <Form error={error} onSubmit={send}>
      <TextField label={words.name} name="name" required maxLength={200} defaultValue={text?.name} dir="auto" />
      {text === undefined && (
        <SelectField
          label={words.kind}
          name="kind"
          values={KINDS}
          selected={suggestedKind}
          textOf={(kind) => words.kindOf[kind] ?? kind}
        />
      )}
      <TextArea
        label={words.text}
        hint={postWords.editor.count({ what: postWords.editor.units.characters, many: count, max: TEXT_CHARS_MAX })}
        dir="auto"
        required
        maxLength={TEXT_CHARS_MAX}
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <div class="actions">
        <Button type="submit" kind="primary" disabled={busy}>
          {common.save}
        </Button>
        <Button onClick={onDone}>{words.back}</Button>
      </div>
    </Form>
  )
}
