import { useState } from 'preact/hooks'
import { TextArea } from '../fields.tsx'
import { FormDialog, textIn } from '../forms.tsx'
import type { KeptText } from '../store.ts'
import { approvals as words } from '../words.ts'

interface ReturnDialogProps {
  many: number
  onClose: () => void
  /** Resolves to whether the notes were sent. */
  onReturn: (notes: string) => Promise<boolean>
  /** Keeps the typed text until it is sent. */
  draft?: KeptText | undefined
}

/** Asks what should change. */
export function ReturnDialog({ many, onClose, onReturn, draft }: ReturnDialogProps) {
  const [problem, setProblem] = useState<string>()
  const onSubmit = async (form: FormData): Promise<void> => {
    if (textIn(form, 'notes') === '') setProblem(words.notesMissing)
    else if (await onReturn(String(form.get('notes')))) draft?.set(undefined)
  }
  return (
    <FormDialog title={words.returnTitle({ many })} submit={words.returnSubmit} onSubmit={onSubmit} onClose={onClose}>
      <TextArea
        label={words.returnNotes}
        hint={words.returnHint}
        problem={problem}
        name="notes"
        autofocus
        maxLength={10_000}
        defaultValue={draft?.get() ?? ''}
        onInput={(event) => {
          draft?.set(event.currentTarget.value || undefined)
          setProblem(undefined)
        }}
      />
    </FormDialog>
  )
}
