import { useState } from 'preact/hooks'
import { ApiError } from '../api.ts'
import { CheckField, TextField } from '../fields.tsx'
import { FormDialog } from '../forms.tsx'
import { isMissing } from '../ui.tsx'
import { settings as words } from '../words.ts'
import { useSectionChanges } from './section.tsx'

interface DeleteDialogProps {
  name: string
  text: string
  onDelete: (force: boolean) => Promise<{ done: boolean }>
}

/**
 * Requires typing the name before a permanent deletion. If the service says that posts would fail, the person must confirm
 * that too.
 */
export function DeleteDialog({ name, text, onDelete }: DeleteDialogProps) {
  const { finish, refresh, close } = useSectionChanges()
  const [isInUse, setIsInUse] = useState(false)
  return (
    <FormDialog
      title={words.deleteTitle({ name })}
      submit={words.delete}
      isBad
      onClose={close}
      onSubmit={async (form) => {
        try {
          const force = form.get('force') !== null
          await deleteAll(() => onDelete(force))
        } catch (error) {
          if (error instanceof ApiError && error.code === 'channel_in_use') setIsInUse(true)
          // A deletion that fails halfway has deleted something.
          void refresh()
          throw error
        }
        await finish({ announcement: words.deleted({ name }) })
      }}
    >
      <p>{text}</p>
      <NameToDelete name={name} />
      {isInUse && (
        <CheckField name="force" required>
          {words.postsFail}
        </CheckField>
      )}
    </FormDialog>
  )
}

/** A field for the name of what is being deleted. */
export const NameToDelete = ({ name }: { name: string }) => (
  <TextField
    label={words.nameToDelete({ name })}
    required
    autofocus
    autocomplete="off"
    onInput={({ currentTarget: input }) =>
      input.setCustomValidity(input.value.trim() === name.trim() ? '' : words.nameDiffers)
    }
  />
)

/** Repeats a deletion until nothing is left. If there was nothing left to delete, another deletion was faster. */
async function deleteAll(remove: () => Promise<{ done: boolean }>): Promise<void> {
  for (let calls = 0; ; calls += 1) {
    try {
      if ((await remove()).done) return
    } catch (error) {
      if (calls > 0 && isMissing(error)) return
      throw error
    }
  }
}
