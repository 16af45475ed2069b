import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

export const words: typeof english = {
  stepTitle: 'Mais um passo',
  stepSubmit: 'Continuar',
  signOut: 'Sair',
  stepImpossible:
    'Este navegador não pode usar suas chaves de acesso. Use outro navegador ou peça ajuda a um proprietário deste servidor.',
  ways: {
    passkey: 'Usar uma chave de acesso',
    totp: 'Usar um código do seu app',
    'recovery-code': 'Usar um código de recuperação',
  },
  passkeyLead: 'Seu navegador pede sua digital, seu rosto, seu PIN ou sua chave de segurança.',
  code: 'Código do seu app autenticador',
  codeHint: 'Seis dígitos.',
  recoveryCode: 'Código de recuperação',
  recoveryCodeHint: 'Um dos que você guardou ao configurar o segundo fator. Cada um vale uma vez.',
  passkeyKnown: 'Este dispositivo já tem uma chave de acesso da sua conta.',
  passkeyFailed: (name) =>
    name === 'NotAllowedError' || name === 'AbortError'
      ? 'A chave de acesso não foi usada. Tente de novo ou escolha outra forma.'
      : 'Este navegador não conseguiu usar uma chave de acesso neste endereço. Escolha outra forma.',

  confirmTitle: 'Confirme que é você',
  confirmLead: 'Você entrou há algum tempo, e esta mudança precisa de uma nova confirmação.',
  confirmSignIn: 'Para fazer esta mudança, saia e entre de novo. Nada foi mudado até agora.',
  confirmBy: { passkey: 'Usar uma chave de acesso', totp: 'Confirmar', password: 'Confirmar' },
  confirmWays: {
    passkey: 'Usar uma chave de acesso',
    totp: 'Usar um código do seu app',
    password: 'Usar sua senha',
  },

  toFactors: 'Ir para o seu segundo fator',
  title: 'Segundo fator',
  lead: 'Com um segundo fator, sua senha sozinha não deixa ninguém entrar.',
  passkeys: 'Chaves de acesso',
  addPasskey: 'Adicionar uma chave de acesso',
  passkeyName: 'Nome',
  passkeyNameHint: 'Pelo nome você a reconhece nesta lista, por exemplo “Notebook” ou “Chaveiro”.',
  noPasskey:
    'Você não tem nenhuma. Uma chave de acesso fica no seu dispositivo, gerenciador de senhas ou chave de segurança.',
  noPasskeysHere:
    'As chaves de acesso só funcionam onde o endereço desta página começa com https e tem um nome, como example.com.',
  added: (day) => `adicionada ${day}`,
  lastUsed: (time) => (time === undefined ? 'nunca usada' : `usada pela última vez ${time}`),
  passkeyAdded: 'A chave de acesso foi adicionada. Você saiu dos seus outros dispositivos.',
  remove: 'Remover',
  removePasskey: (name) => `Remover a chave de acesso ${name}?`,
  removeText: 'Ela não deixa mais você entrar.',
  removeLast: 'Este é o seu único segundo fator: seus códigos de recuperação são removidos com ele.',
  removed: 'Removido.',
  totp: 'App autenticador',
  noTotp: 'Você não tem nenhum. Um app no seu celular mostra um novo código a cada 30 segundos.',
  setUpTotp: 'Configurar um app',
  setUpSince: (day) => `configurado ${day}`,
  removeTotp: 'Remover o app autenticador?',
  scan: 'Leia esta imagem com o app ou digite nele o segredo.',
  qr: 'Código QR para o app autenticador',
  secret: 'Segredo',
  totpAdded: 'O app autenticador está configurado. Você saiu dos seus outros dispositivos.',
  finish: 'Concluir',
  recovery: 'Códigos de recuperação',
  recoveryLead: 'Use um se você perdeu o dispositivo do seu segundo fator.',
  codesLeft: (many) => (many === 0 ? 'Não resta nenhum.' : `Restam ${number(many)}.`),
  newCodes: 'Criar novos códigos',
  newCodesTitle: 'Criar novos códigos de recuperação?',
  newCodesText: 'Os atuais deixam de funcionar.',
  codesMade: 'Você tem novos códigos de recuperação.',
  codesTitle: 'Guarde seus códigos de recuperação',
  codesReady: 'Cada um deixa você entrar uma vez se perder o segundo fator. Eles são mostrados só uma vez.',
  downloadCodes: 'Baixar',
  codesFile: 'greenroom-codigos-de-recuperacao.txt',
  codesHead: 'Códigos de recuperação do Greenroom, cada um vale uma vez',

  requiredTitle: 'Esta organização pede um segundo fator',
  required: (organization) =>
    `${organization} só admite quem entrou com um segundo fator, como uma chave de acesso ou um app autenticador. Configurá-lo leva um minuto.`,
  requiredAgain: (organization) => `${organization} só admite quem entrou com o segundo fator. Saia e entre com o seu.`,
}
