import './search-people.test.js'
