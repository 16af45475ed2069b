import './delete-person.test.js'
