import type { ConversationLine } from '../../interface/audience.ts'
import { common } from '../words.ts'
import type { words as english } from './import.words.ts'

const { count, list, number } = common

const FIELDS: Record<keyof ConversationLine, string> = {
  conversationId: 'Id de la conversación',
  cuid: 'Id de la persona',
  userName: 'Nombre de usuario',
  firstName: 'Nombre',
  lastName: 'Apellidos',
  profilePic: 'Imagen (dirección)',
  birthday: 'Cumpleaños',
  lastPurchaseTimestamp: 'Última compra',
  lastUserMessageTimestamp: 'Último mensaje',
  lastAppOpenTimestamp: 'Última apertura de la aplicación',
  lifetimeValue: 'Valor de por vida',
  lifetimeValueAt: 'Hora del valor de por vida',
  vip: 'VIP',
}

export const words: typeof english = {
  title: 'Importar personas de un CSV',
  file: 'Archivo CSV',
  hint: (channel) =>
    `Con una primera línea que da nombre a las columnas. Sus personas se añaden a ${channel} o se cambian allí.`,
  empty: 'El archivo no tiene una primera línea que dé nombre a las columnas.',
  preview: 'Las primeras filas del archivo',
  fields: FIELDS,
  fieldOf: (column) => `Qué es ${column}`,
  leftOut: 'Omitir',
  lacking: (fields) => `Elige las columnas de: ${list(fields)}.`,
  twice: (fields) => `Solo una columna puede ser: ${list(fields)}.`,
  check: 'Comprobar el archivo',
  checked: 'El archivo está comprobado.',
  sending: 'Enviando…',
  finishing: 'El servicio está terminando…',
  stop: 'Detener',
  would: (created, changed) =>
    `${count(created, 'persona sería nueva', 'personas serían nuevas')}, y ${count(changed, 'persona que ya está aquí cambiaría', 'personas que ya están aquí cambiarían')}.`,
  import: (many) => `Importar ${count(many, 'línea')}`,
  imported: (many) => `${count(many, 'línea importada', 'líneas importadas')}.`,
  erased: (many) => `${count(many, 'línea de personas borradas se omite', 'líneas de personas borradas se omiten')}.`,
  refused: (many) => `${count(many, 'línea se rechaza', 'líneas se rechazan')}:`,
  refusedLine: (line, reason) => `Línea ${number(line)}: ${reason}`,
  refusedFile: (name) => `rechazadas-${name.replace(/\.csv$/i, '')}.csv`,
  saveRefused: (many) => `Guardar ${count(many, 'línea rechazada', 'líneas rechazadas')} con los motivos`,
}
