# frozen_string_literal: true
require "json" #= import json
require_relative 'lib/own' #= import lib/own

LIMIT = 3 #= constant LIMIT
A, (b, *C) = 1, [2, 3] #= constant A; variable b; constant C
$global = 1 #= variable $global
local = 2 #= variable local
local += 1
local.value = 3
table[0] = 1

module Outer #= type Outer +41
  VERSION = "1"

  def self.build(x) = new(x) #= method Outer.build

  module Inner #= type Inner +2
    def helper; end #= method Inner.helper
  end

  # A comment never counts.
  class Shape < Base::Thing #= class Shape +28
    include Comparable
    attr_reader :x
    LIMIT = 1

    def initialize(x) #= method Shape.initialize +3
      @x = x
      def nested; end
    end # behind

    def self.create #= method Shape.create +2
      new(1)
    end

    class << self
      def registry = [] #= method Shape.registry
    end

    def ==(other) = x == other.x #= method Shape.==
    def größe? = true #= method Shape.größe?
    def x=(value) #= method Shape.x= +2
      @x = value
    end
    private def secret; end #= method Shape.secret

    class Error < StandardError #= class Error +2
      def hidden; end
    end
  end

  class Shape::Round; end #= class Shape::Round
end

def top(a, b: 1, &block) #= function top +4
  text = <<~TEXT
    class NotAClass
  TEXT
end

if true
  def conditional; end
end
