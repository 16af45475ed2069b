import { useQueryClient } from '@tanstack/preact-query'
import { useState } from 'preact/hooks'
import type { SavedSuperpower, Superpower } from '../../interface/generated/types.ts'
import { createSuperpower, deleteSuperpower, updateSuperpower } from '../api.ts'
import { problemsIn, toSentence } from '../form.ts'
import { useOrganization } from '../organization.ts'
import type { PlacedProblem } from '../placed-problem.ts'
import { Refusal } from '../refusal.tsx'
import type { KeptText } from '../store.ts'
import { announce, Button, Dialog, Note } from '../ui.tsx'
import { useAct } from '../use-act.ts'
import { common, posts as postWords, superpowers as words } from '../words.ts'
import { JsonField, SuperpowerFields } from './superpower-fields.tsx'
import {
  addGroup,
  type CommonForm,
  moveGroup,
  placeProblems,
  readJson,
  removeGroup,
  toForm,
  withField,
} from './superpower-form.ts'
import { TryOut } from './try-out.tsx'

const toJson = (superpower: Superpower): string => JSON.stringify(superpower, null, 2)

/** The superpower's path in the request body. */
const FIELD = ['superpower']

/** Parses a stored superpower; undefined if the text is none. */
function readKept(text: string): Superpower | undefined {
  const read = readJson(text)
  return 'superpower' in read ? read.superpower : undefined
}

/** A superpower as a form and as JSON. Both stay in sync, and drafts are kept until used. */
function useSuperpower(start: Superpower, draft: KeptText, onType: () => void) {
  const [kept] = useState(() => readKept(draft.get() ?? ''))
  const [value, setValue] = useState<Superpower>(kept ?? start)
  const [json, setJson] = useState(() => toJson(value))
  const [jsonProblem, setJsonProblem] = useState<string>()
  const isTyped = json !== toJson(start)
  const [wanted, setPlace] = useState(0)
  const groups = value.conditionGroups ?? []
  // The JSON may no longer contain the selected group.
  const place = Math.min(wanted, Math.max(0, groups.length - 1))
  const set = (changed: Superpower): void => {
    onType()
    setValue(changed)
    setJson(toJson(changed))
    setJsonProblem(undefined)
    draft.set(toJson(changed))
  }
  return {
    value,
    isTyped,
    isRestored: kept !== undefined,
    form: toForm(value, place),
    groups: {
      names: groups.map(({ name }) => name ?? ''),
      place,
      onShow: setPlace,
      onAdd: (): void => {
        const changed = addGroup(value)
        set(changed)
        setPlace(changed.conditionGroups!.length - 1)
      },
      onRemove: (): void => set(removeGroup(value, place)),
      onMove: (to: number): void => {
        set(moveGroup(value, place, to))
        setPlace(to)
      },
    },
    json,
    jsonProblem,
    change: <Name extends keyof CommonForm>(name: Name, next: CommonForm[Name]): void =>
      set(withField(value, name, next, place)),
    changeJson: (text: string): void => {
      onType()
      setJson(text)
      const read = readJson(text)
      setJsonProblem('problem' in read ? words.noJson({ message: read.problem || undefined }) : undefined)
      if ('superpower' in read) {
        setValue(read.superpower)
        draft.set(text)
      }
    },
  }
}

interface Props {
  start: Superpower
  /** The saved superpower to edit or delete here; posts have their own copy. */
  saved: SavedSuperpower | undefined
  problems: readonly PlacedProblem[]
  /** The type of the channel it is for. */
  channelType: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'
  /** Keeps the draft until the dialog is finished. */
  draft: KeptText
  /** Applies it to the post; a saved one is referred to only by its creativeTemplateId. */
  onUse: (superpower: Superpower) => void
  onDeleted: () => void
  onClose: () => void
}

/** Saves and deletes shared superpowers, and keeps the problems that the service reports. */
function useSaving({ saved, problems: before, onUse, onDeleted }: Props) {
  const { id: organizationId } = useOrganization()
  const client = useQueryClient()
  const { busy, error, act } = useAct()
  const [problems, setProblems] = useState(before)
  const run = (work: () => Promise<void>): Promise<boolean> =>
    act(async () => {
      try {
        await work()
        await client.invalidateQueries({ queryKey: ['superpowers', organizationId] })
      } catch (thrown) {
        setProblems(problemsIn(thrown, FIELD))
        throw thrown
      }
    })
  const save = (value: Superpower, name: string) =>
    run(async () => {
      const { creativeTemplateId: _, creativeTemplateName: __, ...superpower } = value
      const body = { name, superpower }
      const done = await (saved === undefined
        ? createSuperpower(organizationId, body)
        : updateSuperpower(organizationId, saved.creativeTemplateId, body))
      announce(words.saved({ name: done.name }))
      onUse({ creativeTemplateId: done.creativeTemplateId })
    })
  const remove = ({ creativeTemplateId, name }: SavedSuperpower) =>
    run(async () => {
      await deleteSuperpower(organizationId, creativeTemplateId)
      announce(words.deleted({ name }))
      onDeleted()
    })
  return { busy, problems, error, save, remove, forgetProblems: () => setProblems([]) }
}

/** Edits a superpower, for one post or for every post that uses the saved one. */
export function SuperpowerDialog(props: Props) {
  const { start, saved, channelType, draft, onUse } = props
  const { busy, problems, error, save, remove, forgetProblems } = useSaving(props)
  // Earlier problems no longer apply once something is typed.
  const typed = useSuperpower(start, draft, forgetProblems)
  const { value, form, groups, json, jsonProblem, change, changeJson } = typed
  const onClose = (): void => {
    if (!typed.isTyped || confirm(words.closeTyped)) props.onClose()
  }
  const { fields, rest } = placeProblems(problems, groups.place)
  return (
    <Dialog title={saved === undefined ? words.title : words.titleOf({ name: saved.name })} onClose={onClose}>
      <div class="form">
        {typed.isRestored && (
          <Note role="status">
            <p>{postWords.editor.restored}</p>
          </Note>
        )}
        <SuperpowerFields groups={groups} form={form} problems={fields} onChange={change} />
        <TryOut superpower={value} channelType={channelType} />
        <JsonField json={json} problem={jsonProblem ?? toSentence(rest)} onChange={changeJson} />
        <Actions
          saved={saved}
          busy={busy}
          cannotUse={busy || jsonProblem !== undefined}
          isNamed={form.name.trim() !== ''}
          onUse={() => onUse(value)}
          onSave={() => void save(value, form.name.trim())}
          onDelete={(one) => void remove(one)}
          onClose={onClose}
        />
        {problemsIn(error, FIELD).length === 0 && <Refusal error={error} />}
      </div>
    </Dialog>
  )
}

interface ActionsProps {
  saved: SavedSuperpower | undefined
  busy: boolean
  cannotUse: boolean
  isNamed: boolean
  onUse: () => void
  onSave: () => void
  onDelete: (saved: SavedSuperpower) => void
  onClose: () => void
}

/** Uses it in the post, saves it for everyone, or deletes the saved one after confirmation. */
function Actions({ saved, busy, cannotUse, isNamed, onUse, onSave, onDelete, onClose }: ActionsProps) {
  const mayWrite = useOrganization().may('superpowers:write')
  const [asksToDelete, setAsksToDelete] = useState(false)
  if (asksToDelete && saved !== undefined) {
    return (
      <Note kind="warn" role="alert">
        <p>{words.deleteText({ name: saved.name })}</p>
        <div class="actions">
          <Button kind="small bad" disabled={busy} onClick={() => onDelete(saved)}>
            {postWords.editor.delete}
          </Button>
          <Button kind="small" onClick={() => setAsksToDelete(false)}>
            {common.cancel}
          </Button>
        </div>
      </Note>
    )
  }
  return (
    <div class="actions">
      <Button kind="primary" disabled={cannotUse} onClick={onUse}>
        {words.useHere}
      </Button>
      {mayWrite && (
        <Button disabled={cannotUse || !isNamed} onClick={onSave}>
          {saved === undefined ? words.saveForAll : words.saveChanges}
        </Button>
      )}
      {mayWrite && saved !== undefined && (
        <Button kind="plain bad-text" disabled={busy} onClick={() => setAsksToDelete(true)}>
          {postWords.editor.delete}
        </Button>
      )}
      <Button kind="plain" onClick={onClose}>
        {common.cancel}
      </Button>
    </div>
  )
}
