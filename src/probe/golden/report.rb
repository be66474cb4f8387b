# frozen_string_literal: true

require "json"
require_relative "store"

module Reports
  class Report < Base
    LIMIT = 10

    def initialize(store)
      @store = store
    end

    def self.load(path) = new(path)

    private def rows = @store.rows
  end
end

def main
  Reports::Report.load(ARGV.first)
end
