import type { ConversationLine } from '../../interface/audience.ts'
import { common } from '../words.ts'
import type { words as english } from './import.words.ts'

const { count, list, number } = common

const FIELDS: Record<keyof ConversationLine, string> = {
  conversationId: 'Id da conversa',
  cuid: 'Id da pessoa',
  userName: 'Nome de usuário',
  firstName: 'Nome',
  lastName: 'Sobrenome',
  profilePic: 'Imagem (endereço)',
  birthday: 'Aniversário',
  lastPurchaseTimestamp: 'Última compra',
  lastUserMessageTimestamp: 'Última mensagem',
  lastAppOpenTimestamp: 'Última abertura do app',
  lifetimeValue: 'Valor vitalício',
  lifetimeValueAt: 'Horário do valor vitalício',
  vip: 'VIP',
}

export const words: typeof english = {
  title: 'Importar pessoas de um CSV',
  file: 'Arquivo CSV',
  hint: (channel) =>
    `Com uma primeira linha que dá nome às colunas. As pessoas do arquivo são adicionadas a ${channel} ou mudadas lá.`,
  empty: 'O arquivo não tem uma primeira linha que dê nome às colunas.',
  preview: 'As primeiras linhas do arquivo',
  fields: FIELDS,
  fieldOf: (column) => `O que é ${column}`,
  leftOut: 'Deixar de fora',
  lacking: (fields) => `Escolha as colunas de: ${list(fields)}.`,
  twice: (fields) => `Só uma coluna pode ser: ${list(fields)}.`,
  check: 'Verificar o arquivo',
  checked: 'O arquivo foi verificado.',
  sending: 'Enviando…',
  finishing: 'O serviço está terminando…',
  stop: 'Parar',
  would: (created, changed) =>
    `${count(created, 'pessoa seria nova', 'pessoas seriam novas')}, e ${count(changed, 'pessoa que já está aqui seria mudada', 'pessoas que já estão aqui seriam mudadas')}.`,
  import: (many) => `Importar ${count(many, 'linha')}`,
  imported: (many) => `${count(many, 'linha importada', 'linhas importadas')}.`,
  erased: (many) => `${count(many, 'linha de uma pessoa apagada fica', 'linhas de pessoas apagadas ficam')} de fora.`,
  refused: (many) => `${count(many, 'linha foi recusada', 'linhas foram recusadas')}:`,
  refusedLine: (line, reason) => `Linha ${number(line)}: ${reason}`,
  refusedFile: (name) => `recusadas-${name.replace(/\.csv$/i, '')}.csv`,
  saveRefused: (many) => `Salvar ${count(many, 'linha recusada', 'linhas recusadas')} com os motivos`,
}
